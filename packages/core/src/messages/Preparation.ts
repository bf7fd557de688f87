// Prepares messages for their acceptance: finds the source, completes the header, fills in tokens, and decides.
import { Array as Arr, Cache, type DateTime, Duration, Effect } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import type { TemplateNotApproved } from "../documents/DocumentErrors.ts"
import { EmailNotReady } from "../emails/EmailErrors.ts"
import { EmailStore } from "../emails/EmailStore.ts"
import { Actor } from "../kernel/changes/Actor.ts"
import { Ids, MessageId, type WorkspaceId } from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"
import { Settings } from "../kernel/Settings.ts"
import type { TooComplex } from "../ports/Parsers.ts"
import { oneLine } from "../rendering/Escapes.ts"
import { Links } from "../rendering/Links.ts"
import { fill, toMergeTemplate, Work } from "../rendering/MergeTemplate.ts"
import { isDataToken, isKnown, type MergeToken, missingData, tokenParser } from "../rendering/MergeTokens.ts"
import { MessageTooLarge } from "../rendering/MessageTooLarge.ts"
import { nameTokenOf, type Workspace } from "../workspaces/Workspace.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import type { BlockReason } from "../sending/Delivery.ts"
import { ownApproval, strangerOf } from "../sending/messages/MessageContent.ts"
import { ConsentStore } from "../topics/ConsentStore.ts"
import { type RecipientTopic, recipientTopic } from "../topics/Topic.ts"
import { TopicArchived } from "../topics/TopicErrors.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { acceptanceBlock, headerOf, missingIn } from "./Acceptance.ts"
import type { EmailMessage } from "./EmailMessage.ts"
import { type AcceptedMessage, EmailMessageStore, type MessageFacts, type TopicFacts } from "./EmailMessageStore.ts"
import { EmailNotApproved, UnresolvedTokens } from "./MessageErrors.ts"
import { type Parts, sourceParts } from "./MessageSources.ts"
import type { HeaderOverrides, NewMessage } from "./NewMessage.ts"

/** A message that can be accepted. */
export interface PreparedMessage {
  readonly accepted: AcceptedMessage
  /** The contact to create with it; null: none. */
  readonly contact: { readonly email: string; readonly name: string | null } | null
  readonly sharesSender: boolean
}

export interface MessageWithParts {
  readonly message: NewMessage
  readonly parts: Parts
}

export type PreparationRefusal =
  | NotFound
  | EmailNotReady
  | EmailNotApproved
  | TemplateNotApproved
  | UnresolvedTokens
  | MessageTooLarge
  | TooComplex
  | TopicArchived

const workspaces_max = 1_000
/** How long a changed setting of the workspace, or a domain that lost its verification, may go unnoticed. */
const facts_for = Duration.seconds(10)

interface WorkspaceFacts {
  readonly workspace: Workspace
  readonly verifiedDomains: ReadonlyArray<string>
  readonly customFields: ReadonlySet<string>
  readonly marketingSenders: ReadonlySet<string>
  readonly emailsPerDay_max: number | null
}

/** Prepares single messages, on facts that were read for all of a request. */
export const preparation = Effect.gen(function* () {
  const store = yield* EmailMessageStore
  const emails = yield* EmailStore
  const workspaces = yield* WorkspaceStore
  const ids = yield* Ids
  const links = yield* Links
  const { message_bytes_max } = yield* Settings
  const partsOf = yield* sourceParts
  const topics = yield* TopicStore
  const consents = yield* ConsentStore

  const facts = yield* Cache.make({
    lookup: Effect.fnUntraced(function* (workspace: WorkspaceId) {
      const { customFields, verifiedDomains } = yield* emails.facts(workspace)
      const { plan } = yield* Effect.orDie(workspaces.overviewFacts(workspace))
      return {
        workspace: yield* Effect.orDie(workspaces.get(workspace)),
        verifiedDomains,
        customFields: new Set(customFields),
        marketingSenders: yield* store.marketingSenders(workspace),
        emailsPerDay_max: plan.emailsPerDay_max,
      } satisfies WorkspaceFacts
    }),
    capacity: workspaces_max,
    timeToLive: facts_for,
  })

  /** A refusal is decided on facts of now: the caller may have just verified the domain. */
  const current = (workspace: WorkspaceId, lacks: (of: WorkspaceFacts) => boolean) =>
    Effect.flatMap(Cache.get(facts, workspace), (known) =>
      lacks(known)
        ? Effect.andThen(Cache.invalidate(facts, workspace), Cache.get(facts, workspace))
        : Effect.succeed(known),
    )

  const prepare = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    { message, parts }: MessageWithParts,
    known: MessageFacts & TopicFacts,
    now: DateTime.Utc,
  ) {
    const recipient = yield* recipientOf(message, known)
    const topic = yield* topicOf(message, recipient, known)
    const missingOf = ({ verifiedDomains, workspace: { senderDefaults } }: WorkspaceFacts) =>
      missingIn(headerOf(message.header, parts.header, senderDefaults), verifiedDomains)
    const its = yield* current(workspace, (each) => missingOf(each).length > 0)
    const header = headerOf(message.header, parts.header, its.workspace.senderDefaults)
    const missing = missingOf(its)
    const { fromAddress, subject } = header
    if (missing.length > 0 || fromAddress === null || subject === null) {
      return yield* new EmailNotReady({ missing, fromAddress, before: "sending the message" })
    }
    const tokens = [...tokenParser.run([subject, header.fromName, header.previewText]), ...parts.tokens]
    const absent = missingData(tokens, message.data)
    if (absent.length > 0 && !message.allowUnresolved) return yield* new UnresolvedTokens({ tokens: absent })
    const id = MessageId.make(yield* ids.next)
    const size_bytes = message.attachments.reduce((sum, { size_bytes }) => sum + Math.ceil(size_bytes / 57) * 78, 0)
    if (size_bytes + (parts.html?.length ?? 0) + parts.text.length > message_bytes_max) {
      return yield* new MessageTooLarge({ bytes_max: message_bytes_max })
    }
    const { contact, emailNormalized } = recipient
    const consentRequired = its.workspace.consent.marketingConsent === "required"
    const filled = yield* filledIn({
      texts: [subject, header.fromName ?? "", header.previewText ?? ""],
      contact: contact ?? strangerOf(id, now, recipient.email, recipient.name),
      data: message.data,
      workspaceName: nameTokenOf(its.workspace),
      links: links.of({ workspaceId: workspace, deliveryId: id }),
      bytes_max: message_bytes_max,
    })
    const reason = acceptanceBlock({ ...recipient, topic, consentRequired }, message.operational) ?? null
    const shown = {
      ...header,
      fromAddress,
      subject: filled[0] ?? "",
      fromName: filled[1] || null,
      previewText: filled[2] || null,
    }
    const stored = messageOf(id, message, { parts, recipient, reason, header: shown, now })
    const unresolvedTokens = [...new Set([...unknownIn(tokens, its.customFields), ...absent])]
    const own = parts.approvalId === null ? { html: parts.html, text: parts.text } : null
    return {
      accepted: {
        message: { ...stored, unresolvedTokens },
        approvalId: parts.approvalId ?? ownApproval(id),
        emailNormalized,
        displayName: contact?.displayName ?? recipient.name,
        body: { data: message.data, own },
        files: message.attachments.map(({ bytes }) => bytes),
        actor: yield* Actor,
      },
      contact:
        message.contact === "create" && contact === null && recipient.email !== null
          ? { email: recipient.email, name: recipient.name }
          : null,
      sharesSender: message.operational && its.marketingSenders.has(fromAddress.toLowerCase()),
    } satisfies PreparedMessage
  })

  /** Requests without a topic read nothing. */
  const readFacts = Effect.fnUntraced(function* (workspace: WorkspaceId, messages: ReadonlyArray<NewMessage>) {
    const found = yield* store.facts(workspace, factsWanted(messages))
    const named = Arr.dedupe(messages.flatMap(({ topicId }) => topicId ?? []))
    if (named.length === 0) return { ...found, topics: [], choices: [] }
    const contactIds = found.contacts.map(({ id }) => id)
    return {
      ...found,
      topics: yield* topics.many(workspace, named),
      choices: yield* consents.choices(workspace, contactIds, named),
    }
  })

  return {
    /** Parses what is its own: before a transaction. */
    withParts: (workspace: WorkspaceId, message: NewMessage) =>
      Effect.map(partsOf(workspace, message.source, message.header), (parts): MessageWithParts => ({ message, parts })),
    prepare,
    readFacts,
    /** The emails that the plan allows a day; null: no limit. */
    emailsPerDay_max: (workspace: WorkspaceId) =>
      Effect.map(Cache.get(facts, workspace), ({ emailsPerDay_max }) => emailsPerDay_max),
  }
})

interface Decided {
  readonly parts: Parts
  readonly recipient: KnownRecipient
  readonly reason: BlockReason | null
  readonly header: HeaderOverrides & Pick<EmailMessage, "fromAddress" | "subject">
  readonly now: DateTime.Utc
}

/** The message as it is accepted: it waits, or is blocked. */
const messageOf = (
  id: MessageId,
  message: NewMessage,
  { header, now, parts, reason, recipient }: Decided,
): EmailMessage => ({
  id,
  state: reason === null ? "queued" : "blocked",
  reason,
  to: { email: recipient.email, name: recipient.name },
  contactId: recipient.contact?.id ?? null,
  emailId: parts.emailId,
  approvedEmailVersion: parts.version,
  templateId: parts.templateId,
  ...header,
  operational: message.operational,
  topicId: message.topicId,
  trackOpens: message.trackOpens,
  trackClicks: message.trackClicks,
  retainContent: message.retainContent,
  tags: message.tags,
  metadata: message.metadata,
  headers: message.headers,
  attachments: message.attachments.map(({ bytes: _, ...file }) => file),
  unresolvedTokens: [],
  clientItemId: message.clientItemId,
  scheduledAt: message.scheduledAt,
  expiresAt: message.expiresAt,
  attempts: 0,
  createdAt: now,
  failedAt: null,
  blockedAt: null,
  ...nothingYet,
})

const nothingYet = {
  sentAt: null,
  deliveredAt: null,
  openedAt: null,
  clickedAt: null,
  clickedUrl: null,
  bouncedAt: null,
  unsubscribedAt: null,
  complainedAt: null,
} as const

interface KnownRecipient {
  readonly email: string | null
  readonly emailNormalized: string | null
  readonly name: string | null
  readonly contact: Contact | null
  readonly suppression: MessageFacts["suppressions"][number] | null
}

/** A contact without address is a recipient too: its message is blocked. */
const recipientOf = Effect.fnUntraced(function* (
  { contact: mode, to }: NewMessage,
  { contacts, suppressions }: MessageFacts,
): Effect.fn.Return<KnownRecipient, NotFound> {
  const suppressionOf = (email: string | null) => suppressions.find((each) => each.email === email) ?? null
  if ("contactId" in to) {
    const contact = contacts.find(({ id }) => id === to.contactId)
    if (contact === undefined) return yield* new NotFound({ resource: "contact", path: "contact_id" })
    const { email, emailNormalized } = contact
    return { email, emailNormalized, name: contact.displayName, contact, suppression: suppressionOf(emailNormalized) }
  }
  const { normalized, written } = to.email
  const contact =
    mode === "none" ? null : (contacts.find(({ emailNormalized }) => emailNormalized === normalized) ?? null)
  return {
    email: written,
    emailNormalized: normalized,
    name: to.name,
    contact,
    suppression: suppressionOf(normalized),
  }
})

/** Of a recipient without contact nothing is recorded. */
const topicOf = Effect.fnUntraced(function* (
  { topicId }: NewMessage,
  { contact }: KnownRecipient,
  { choices, topics }: TopicFacts,
): Effect.fn.Return<RecipientTopic | null, NotFound | TopicArchived> {
  if (topicId === null) return null
  const topic = topics.find(({ id }) => id === topicId)
  if (topic === undefined) return yield* new NotFound({ resource: "topic", path: "topic_id" })
  if (topic.status === "archived") return yield* new TopicArchived({ path: "topic_id" })
  return recipientTopic(
    topic,
    choices.find((choice) => choice.topicId === topicId && choice.contactId === contact?.id) ?? null,
  )
})

/** What a recipient's facts are read by. */
const factsWanted = (messages: ReadonlyArray<NewMessage>) => ({
  emails: Arr.dedupe(messages.flatMap(({ to }) => ("contactId" in to ? [] : [to.email.normalized]))),
  contactIds: Arr.dedupe(messages.flatMap(({ to }) => ("contactId" in to ? [to.contactId] : []))),
})

const unknownIn = (tokens: ReadonlyArray<MergeToken>, customFields: ReadonlySet<string>) =>
  tokens.flatMap((token) =>
    !isDataToken(token) && (token.path[0] === "campaign" || !isKnown(token, customFields)) ? [token.name] : [],
  )

const filledIn = ({
  bytes_max,
  contact,
  data,
  links,
  texts,
  workspaceName,
}: {
  readonly texts: ReadonlyArray<string>
  readonly contact: Contact
  readonly data: NewMessage["data"]
  readonly workspaceName: string
  readonly links: ReturnType<Links["Service"]["of"]>
  readonly bytes_max: number
}): Effect.Effect<ReadonlyArray<string>, MessageTooLarge> =>
  Effect.try({
    try: () =>
      texts.map((text) =>
        oneLine(
          fill(toMergeTemplate(text, "plain"), {
            contact,
            data,
            dynamic: {},
            workspaceName,
            links,
            bytes_max,
            work: new Work(),
          }),
        ),
      ),
    catch: (error) => {
      if (error instanceof MessageTooLarge) return error
      throw error
    },
  })
