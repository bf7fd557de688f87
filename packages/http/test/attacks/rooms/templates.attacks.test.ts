// Templates of both kinds, attacked.
import { assault } from "../AttackSuite.ts"
import { emailTemplates, tentTemplates } from "../TemplateProbes.ts"

assault(emailTemplates)
assault(tentTemplates)
