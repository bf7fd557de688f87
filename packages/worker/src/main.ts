// Entry point of the worker process.
import { asProgram } from "@tentpole/adapters/Launch"
import { workerProcess } from "./Process.ts"

asProgram(workerProcess)
