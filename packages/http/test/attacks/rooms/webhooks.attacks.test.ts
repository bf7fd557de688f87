// Attacks on webhook endpoints and deliveries.
import { assault } from "../AttackSuite.ts"
import { webhooks } from "../EventProbes.ts"

assault(webhooks)
