// Imports, attacked.
import { assault } from "./Assault.ts"
import { imported } from "./ImportProbes.ts"

assault(imported)
