// Attacks on the feed of events.
import { assault } from "../AttackSuite.ts"
import { events } from "../EventProbes.ts"

assault(events)
