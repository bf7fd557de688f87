// Contacts, their fields and their lists, attacked.
import { assault } from "../AttackSuite.ts"
import { audience } from "../AudienceProbes.ts"

assault(audience)
