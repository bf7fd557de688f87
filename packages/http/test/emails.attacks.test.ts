// Emails, attacked.
import { assault } from "./Assault.ts"
import { emails } from "./EmailProbes.ts"

assault(emails)
