// Attacks on blasts.
import { assault } from "../AttackSuite.ts"
import { blasts } from "../BlastProbes.ts"

assault(blasts)
