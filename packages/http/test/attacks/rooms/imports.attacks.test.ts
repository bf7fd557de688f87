// Attacks on imports.
import { assault } from "../AttackSuite.ts"
import { imported } from "../ImportProbes.ts"

assault(imported)
