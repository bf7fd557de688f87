// The dry run of a blast: its result, and the parts of it that need no store.
import type { Contact } from "../../contacts/Contact.ts"
import { standardFieldByName } from "../../contacts/ContactFields.ts"
import type { ApprovedEmail } from "../../rendering/ApprovedEmail.ts"
import { findTokens, isKnown, type MergeToken } from "../../rendering/MergeTokens.ts"
import type { ContactId } from "../../kernel/Ids.ts"
import { isBlank } from "../../kernel/Text.ts"
import type { Workspace } from "../../workspaces/Workspace.ts"
import type { DryRunCounts, NeededValue } from "./DryRunStore.ts"

export interface DryRun extends Omit<DryRunCounts, "missingCounts" | "sample"> {
  /** Tokens that are empty in a message, with the number of qualified recipients that this concerns. */
  readonly unresolvedTokens: ReadonlyArray<{ readonly token: string; readonly contactCount: number }>
  readonly estimated_s: number
  readonly samples: ReadonlyArray<{
    readonly contactId: ContactId
    readonly subject: string
    readonly html: string
    readonly text: string
  }>
}

/** A token without a fallback: empty for contacts without a value. `of` is null when no contact has a value. */
interface BareToken {
  readonly token: string
  readonly of: NeededValue | null
}

const valueOf = (token: MergeToken, customFields: ReadonlySet<string>): BareToken["of"] | "always set" => {
  const [first, second = "", third = ""] = token.path
  if (!isKnown(token, customFields) || first === "campaign") return null
  if (first !== "contact" || second === "contact_id") return "always set"
  if (second === "custom_fields") return { kind: "custom", apiName: third }
  const field = standardFieldByName.get(second)
  if (field === undefined) return null
  return field.nullable ? { kind: "standard", field } : "always set"
}

/** The tokens of an email that may be empty, each once, in the order of their appearance. */
export const bareTokens = (
  { subject, previewText, fromName, html, text }: ApprovedEmail,
  customFields: ReadonlySet<string>,
): ReadonlyArray<BareToken> => {
  const found = new Map<string, BareToken["of"]>()
  for (const part of [subject, previewText ?? "", fromName, html, text]) {
    for (const { token } of findTokens(part)) {
      if (token.fallback !== null) continue
      const of = valueOf(token, customFields)
      if (of === "always set") continue
      // Written once correctly and once with an invalid format, it is empty for every contact.
      if (of === null || !found.has(token.name)) found.set(token.name, of)
    }
  }
  return [...found].map(([token, of]) => ({ token, of }))
}

/** Whether the contact has no value for a token. White space is no value. */
export const isMissing = (contact: Contact, needed: NeededValue): boolean => {
  const value = needed.kind === "standard" ? contact[needed.field.key] : (contact.customFields[needed.apiName] ?? null)
  return value === null || (typeof value === "string" && isBlank(value))
}

/** Messages a second that a connection to the mail server is assumed to send where no limit says less. */
const messages_per_connection_s = 10

/** In whole seconds. From the workspace's send rate limits; without any, from the connections of one worker. */
export const estimated_s = (
  { qualifiedCount, domains }: Pick<DryRunCounts, "qualifiedCount" | "domains">,
  { sendingPerSecond, sendingPerDomainPerSecond }: Pick<Workspace, "sendingPerSecond" | "sendingPerDomainPerSecond">,
  connections: number,
): number => {
  const assumed = Math.max(1, connections) * messages_per_connection_s
  const altogether = qualifiedCount / Math.min(assumed, sendingPerSecond ?? assumed)
  const largest = domains[0]?.count ?? 0
  const one_domain = sendingPerDomainPerSecond === null ? 0 : largest / sendingPerDomainPerSecond
  return Math.ceil(Math.max(altogether, one_domain))
}
