// The HTTP process as a program.
import { asProgram } from "@tentpole/adapters/Launch"
import { httpProcess } from "./Process.ts"

asProgram(httpProcess)
