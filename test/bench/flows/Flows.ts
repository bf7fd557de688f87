// How fast flows run: members advanced, bursts of changes taken, and members who wait.
import { inParts } from "../Benchmark.ts"
import { World } from "../World.ts"
import { advancing } from "./Advancing.ts"
import { burst } from "./Burst.ts"
import { waiting } from "./Waiting.ts"

export const flows = inParts((bench) => World.begin(bench), { advancing, burst, waiting })
