// Traffic, attacked.
import { assault } from "./Assault.ts"
import { traffic } from "./FormProbes.ts"

assault(traffic)
