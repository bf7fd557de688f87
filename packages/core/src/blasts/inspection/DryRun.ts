// What a blast would do if it were sent at this moment, without doing it: its parts that are decided without a store.
import type { Contact } from "../../contacts/Contact.ts"
import { standardFieldByName } from "../../contacts/ContactFields.ts"
import type { ApprovedEmail } from "../../rendering/ApprovedEmail.ts"
import { findTokens, isKnown, type MergeToken } from "../../rendering/MergeTokens.ts"
import type { ContactId } from "../../kernel/Ids.ts"
import { isBlank } from "../../kernel/Text.ts"
import type { Workspace } from "../../workspaces/Workspace.ts"
import type { BlockedContacts, NeededValue, Survey } from "./DryRunStore.ts"

export interface DryRun {
  readonly recipientCount: number
  readonly qualifiedCount: number
  readonly blocked: ReadonlyArray<BlockedContacts>
  readonly domains: Survey["domains"]
  /** Tokens that stand empty in somebody's message, by how many of the qualified. */
  readonly unresolvedTokens: ReadonlyArray<{ readonly token: string; readonly contactCount: number }>
  readonly estimated_s: number
  readonly samples: ReadonlyArray<{
    readonly contactId: ContactId
    readonly subject: string
    readonly html: string
    readonly text: string
  }>
}

/** A token without a fallback: who has no value for it reads nothing there. `of` is null where nobody has one. */
interface BareToken {
  readonly token: string
  readonly of: NeededValue | null
}

const valueOf = (token: MergeToken, customFields: ReadonlySet<string>): BareToken["of"] | "everybody" => {
  const [first, second = "", third = ""] = token.path
  if (!isKnown(token, customFields) || first === "campaign") return null
  if (first !== "contact" || second === "contact_id") return "everybody"
  if (second === "custom_fields") return { kind: "custom", apiName: third }
  const field = standardFieldByName.get(second)
  if (field === undefined) return null
  return field.nullable ? { kind: "standard", field } : "everybody"
}

/** The tokens of an email that may stand empty, each once, in the order of their appearance. */
export const bareTokens = (
  { subject, previewText, fromName, html, text }: ApprovedEmail,
  customFields: ReadonlySet<string>,
): ReadonlyArray<BareToken> => {
  const found = new Map<string, BareToken["of"]>()
  for (const part of [subject, previewText ?? "", fromName, html, text]) {
    for (const { token } of findTokens(part)) {
      if (token.fallback !== null) continue
      const of = valueOf(token, customFields)
      if (of === "everybody") continue
      // Spelled once rightly and once with a format that is none, it is empty for everybody.
      if (of === null || !found.has(token.name)) found.set(token.name, of)
    }
  }
  return [...found].map(([token, of]) => ({ token, of }))
}

/** Whether the contact has nothing to stand for a token; white space is nothing. */
export const lacks = (contact: Contact, needed: NeededValue): boolean => {
  const value = needed.kind === "standard" ? contact[needed.field.key] : (contact.customFields[needed.apiName] ?? null)
  return value === null || (typeof value === "string" && isBlank(value))
}

/** What a connection to the mail server is assumed to bring off where no limit says less: messages a second. */
const messages_per_connection_s = 10

/** From the workspace's limits of sending; without any, from the connections of one worker. In whole seconds. */
export const estimated_s = (
  { qualifiedCount, domains }: Pick<Survey, "qualifiedCount" | "domains">,
  { sendingPerSecond, sendingPerDomainPerSecond }: Pick<Workspace, "sendingPerSecond" | "sendingPerDomainPerSecond">,
  connections: number,
): number => {
  const assumed = Math.max(1, connections) * messages_per_connection_s
  const altogether = qualifiedCount / Math.min(assumed, sendingPerSecond ?? assumed)
  const largest = domains[0]?.count ?? 0
  const one_domain = sendingPerDomainPerSecond === null ? 0 : largest / sendingPerDomainPerSecond
  return Math.ceil(Math.max(altogether, one_domain))
}
