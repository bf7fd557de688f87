// Traffic, attacked.
import { assault } from "../AttackSuite.ts"
import { traffic } from "../FormProbes.ts"

assault(traffic)
