// Entry point of the command line `tentpole`.
import { run } from "./CommandLine.ts"

run()
