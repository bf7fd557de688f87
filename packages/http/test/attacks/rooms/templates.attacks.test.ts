// Attacks on templates of both kinds.
import { assault } from "../AttackSuite.ts"
import { emailTemplates, tentTemplates } from "../TemplateProbes.ts"

assault(emailTemplates)
assault(tentTemplates)
