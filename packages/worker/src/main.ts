// The worker process as a program.
import { asProgram } from "@tentpole/adapters/Launch"
import { workerProcess } from "./Process.ts"

asProgram(workerProcess)
