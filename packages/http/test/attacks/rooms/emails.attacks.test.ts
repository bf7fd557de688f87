// Emails, attacked.
import { assault } from "../AttackSuite.ts"
import { emails } from "../EmailProbes.ts"

assault(emails)
