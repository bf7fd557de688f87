// The commands that do what the administration does over HTTP.
import { auditLog } from "./AuditLogCommands.ts"
import { contact } from "./Contacts.ts"
import { domain } from "./Domains.ts"
import { key } from "./Keys.ts"
import { pageDomain } from "./PageDomains.ts"
import { suppression } from "./Suppressions.ts"
import { workspace } from "./WorkspaceCommands.ts"

export const administration = [workspace, key, domain, pageDomain, suppression, contact, auditLog] as const
