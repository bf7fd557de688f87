// Attacks on emails and single messages.
import { assault } from "../AttackSuite.ts"
import { emails, messages } from "../EmailProbes.ts"

assault(emails)
assault(messages)
