// Attacks on emails.
import { assault } from "../AttackSuite.ts"
import { emails } from "../EmailProbes.ts"

assault(emails)
