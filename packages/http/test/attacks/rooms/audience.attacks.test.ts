// Attacks on contacts, custom fields, lists, and exports of consent records.
import { assault } from "../AttackSuite.ts"
import { audience, consentExports } from "../AudienceProbes.ts"

assault(audience)
assault(consentExports)
