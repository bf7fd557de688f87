// Blasts, attacked.
import { assault } from "./Assault.ts"
import { blasts } from "./BlastProbes.ts"

assault(blasts)
