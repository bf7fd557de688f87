// The benchmark `blasts`: a worker beside loops by hand, two workers, settings of speed, and a million recipients.
import { inParts } from "../Benchmark.ts"
import { million } from "./Million.ts"
import { speeds } from "./Speeds.ts"
import { throughput } from "./Throughput.ts"
import { twoWorkers } from "./TwoWorkers.ts"
import { World } from "../World.ts"

export const blasts = inParts((bench) => World.begin(bench), { throughput, twoWorkers, speeds, million })
