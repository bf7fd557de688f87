// Dry runs of blasts: which contacts a blast would reach, and what they would read, if it were sent now.
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Links } from "../../rendering/Links.ts"
import { type CompiledEmail, compileInput, compileParser } from "../../rendering/Compile.ts"
import { EmailStore } from "../../emails/EmailStore.ts"
import { asApproved } from "../../emails/Preview.ts"
import { withinSize } from "../../rendering/MessageTooLarge.ts"
import { decideWith, type Parse, parseNow, Parsers } from "../../ports/Parsers.ts"
import { renderContent } from "../../rendering/Render.ts"
import { type BlastId, DeliveryId, type WorkspaceId, type ContactId } from "../../kernel/Ids.ts"
import { InvalidState, type NotFound } from "../../kernel/Refusal.ts"
import { Settings } from "../../kernel/Settings.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import { lockedOf } from "../Blast.ts"
import { BlastStore, type StoredBlast } from "../BlastStore.ts"
import { CampaignNotReady, type MissingPart, readiness } from "../Readiness.ts"
import { type DryRunCounts, DryRunStore, type NeededValue } from "./DryRunStore.ts"
import type { Contact } from "../../contacts/Contact.ts"
import { standardFieldByName } from "../../contacts/ContactFields.ts"
import { type ApprovedEmail, type MessageLinks, senderOf } from "../../rendering/message/Message.ts"
import { isKnown, type MergeToken, tokenParser } from "../../rendering/MergeTokens.ts"
import { isBlank } from "../../kernel/Text.ts"
import type { Workspace } from "../../workspaces/Workspace.ts"

export class DryRuns extends Context.Service<
  DryRuns,
  {
    /** `operational`: how it would be sent. Defaults to the setting of a scheduled blast, and to marketing for a draft. */
    readonly dryRun: (
      workspace: WorkspaceId,
      id: BlastId,
      options: { readonly operational?: boolean },
    ) => Effect.Effect<DryRun, NotFound | InvalidState | CampaignNotReady>
  }
>()("tentpole/DryRuns") {
  static readonly layer = Layer.effect(
    DryRuns,
    Effect.gen(function* () {
      const store = yield* BlastStore
      const counts = yield* DryRunStore
      const emails = yield* EmailStore
      const workspaces = yield* WorkspaceStore
      const links = yield* Links
      const parsers = yield* Parsers
      const { message_bytes_max, smtpConnections } = yield* Settings

      /** What would be sent: the locked approval, else the latest, else the current email. */
      const contentOf = Effect.fnUntraced(function* (workspace: WorkspaceId, { blast, facts }: StoredBlast) {
        const approvalId = lockedOf(blast)?.approvalId ?? facts.email?.approval?.approvalId
        if (approvalId !== undefined) return yield* Effect.orDie(emails.approval(workspace, approvalId))
        if (blast.email === null) return null
        const current = yield* Effect.option(emails.current(workspace, blast.email.emailId))
        if (Option.isNone(current) || current.value.html === null) return null
        const { document, html } = current.value
        return yield* Effect.orDie(decideWith(parsers, workspace)((parse) => asApproved(document, html, parse)))
      })

      return DryRuns.of({
        dryRun: Effect.fn("DryRuns.dryRun")(function* (workspace, id, options) {
          const now = yield* DateTime.now
          const view = yield* store.get(workspace, id, now)
          const { blast, facts } = view
          if (blast.status !== "draft" && blast.status !== "scheduled") {
            return yield* new InvalidState({ resource: "email blast", status: blast.status, move: "tried out" })
          }
          const operational = options.operational ?? (blast.status === "scheduled" && blast.operational)
          const email = facts.email === null ? null : yield* contentOf(workspace, view)
          if (facts.list === null || email === null) return yield* notReady(view, operational)
          const tokens = yield* Effect.orDie(
            decideWith(parsers, workspace)((parse) => bareTokens(email, facts.customFields, parse)),
          )
          const needed = tokens.flatMap(({ of }) => of ?? [])
          const found = yield* counts.calculate(workspace, facts.list.listId, {
            operational,
            topicId: blast.topicId,
            needed,
            now,
          })
          if (found === null) return yield* notReady({ ...view, facts: { ...facts, list: null } }, operational)

          const owner = yield* Effect.orDie(workspaces.get(workspace))
          const { addresses } = links
          const compiling = { operational, tracked: false, addresses, message_bytes_max }
          const compiled = yield* Effect.orDie(
            parsers.run(compileParser, compileInput(email, senderOf(owner), compiling), workspace),
          )
          // No message has the blast's id, so these links lead nowhere.
          const nowhere = links.of({ workspaceId: workspace, deliveryId: DeliveryId.make(id) })
          const { missingCounts, sample, ...rest } = found
          return {
            ...rest,
            unresolvedTokens: unresolved(tokens, found),
            estimated_s: estimated_s(found, owner, smtpConnections),
            samples: yield* samplesOf(compiled, sample, nowhere),
          } satisfies DryRun
        }),
      })
    }),
  )
}

/**
 * Rendered for these contacts, without tracking. Messages that are too large are omitted, because they will fail, and those that
 * would make the answer larger than a message may be.
 */
const samplesOf = Effect.fnUntraced(function* (
  compiled: CompiledEmail,
  contacts: ReadonlyArray<Contact>,
  links: MessageLinks,
) {
  const samples: Array<DryRun["samples"][number]> = []
  let left = compiled.message_bytes_max
  for (const contact of contacts) {
    const content = yield* Effect.option(withinSize(renderContent(compiled, { contact, dynamic: {}, links })))
    if (Option.isNone(content)) continue
    const { html, text } = content.value
    if (html.length + text.length > left) continue
    left -= html.length + text.length
    samples.push({ contactId: contact.id, ...content.value })
  }
  return samples
})

/** The missing parts: a draft's readiness, or the deleted list or email of a scheduled blast. */
const notReady = ({ blast, facts }: StoredBlast, operational: boolean): CampaignNotReady => {
  if (blast.status === "draft") return new CampaignNotReady({ readiness: readiness(blast, facts, operational) })
  const missing: ReadonlyArray<MissingPart> = [
    ...(facts.list === null ? (["audience"] as const) : []),
    ...(facts.email === null ? (["email"] as const) : []),
  ]
  return new CampaignNotReady({ readiness: { ready: false, missing, warnings: [] } })
}

const unresolved = (
  tokens: ReturnType<typeof bareTokens>,
  { missingCounts: counts, qualifiedCount }: DryRunCounts,
): DryRun["unresolvedTokens"] => {
  let next = 0
  return tokens
    .map(({ token, of }) => ({ token, contactCount: of === null ? qualifiedCount : (counts[next++] ?? 0) }))
    .filter(({ contactCount }) => contactCount > 0)
}

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
  parse: Parse = parseNow,
): ReadonlyArray<BareToken> => {
  const found = new Map<string, BareToken["of"]>()
  for (const token of parse(tokenParser, [subject, previewText, fromName, html, text])) {
    if (token.fallback !== null) continue
    const of = valueOf(token, customFields)
    if (of === "always set") continue
    // Written once correctly and once with an invalid format, it is empty for every contact.
    if (of === null || !found.has(token.name)) found.set(token.name, of)
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
