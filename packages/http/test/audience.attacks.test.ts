// Contacts, their fields and their lists, attacked.
import { assault } from "./Assault.ts"
import { audience } from "./AudienceProbes.ts"

assault(audience)
