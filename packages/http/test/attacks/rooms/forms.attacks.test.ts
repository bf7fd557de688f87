// Attacks on forms and on subscription requests.
import { assault } from "../AttackSuite.ts"
import { submissions, subscriptions } from "../FormProbes.ts"

assault(submissions)
assault(subscriptions)
