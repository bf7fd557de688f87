// Attacks on the traffic endpoints.
import { assault } from "../AttackSuite.ts"
import { traffic } from "../FormProbes.ts"

assault(traffic)
