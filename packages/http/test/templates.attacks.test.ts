// Templates of both kinds, attacked.
import { assault } from "./Assault.ts"
import { emailTemplates, tentTemplates } from "./TemplateProbes.ts"

assault(emailTemplates)
assault(tentTemplates)
