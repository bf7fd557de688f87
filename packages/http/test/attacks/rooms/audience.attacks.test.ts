// Attacks on contacts, custom fields and lists.
import { assault } from "../AttackSuite.ts"
import { audience } from "../AudienceProbes.ts"

assault(audience)
