// How fast flows run: members advanced, bursts of changes taken, members who wait and cost nothing, a year simulated.
import { inParts } from "../Benchmark.ts"
import { World } from "../blasts/World.ts"
import { advancing } from "./Advancing.ts"
import { burst } from "./Burst.ts"
import { simulating } from "./Simulating.ts"
import { waiting } from "./Waiting.ts"

export const flows = inParts((bench) => World.begin(bench), { simulating, advancing, burst, waiting })
