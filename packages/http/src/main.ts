// Entry point of the HTTP process.
import { asProgram } from "@tentpole/adapters/Launch"
import { httpProcess } from "./Process.ts"

asProgram(httpProcess)
