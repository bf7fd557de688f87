// How a request is written: the person, the topics that are done at once, those that wait, and the confirmation mail, in one
// transaction. Requests of the API and of forms share it.
import { type DateTime, DateTime as Time, Effect } from "effect"
import type { FreePlanEmailLimit } from "../blasts/Readiness.ts"
import { blankContact, type Contact } from "../contacts/Contact.ts"
import { patchContact } from "../contacts/ContactPatch.ts"
import { ContactsChange } from "../contacts/ContactsChange.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { EmailNotReady } from "../emails/EmailErrors.ts"
import {
  ConsentRecordId,
  ContactId,
  type EmailId,
  Ids,
  SubscriptionRequestId,
  type TopicId,
  type WorkspaceId,
} from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Settings } from "../kernel/Settings.ts"
import type { EmailAddress } from "../kernel/values/EmailAddress.ts"
import { EmailNotApproved } from "../messages/MessageErrors.ts"
import type { PreparedMessage } from "../messages/Preparation.ts"
import { serviceMessages } from "../messages/ServiceMessages.ts"
import type { TooComplex } from "../ports/Parsers.ts"
import type { MessageTooLarge } from "../rendering/MessageTooLarge.ts"
import { ChoicesChange } from "../topics/ChoicesChange.ts"
import type { Evidence } from "../topics/ConsentRecord.ts"
import { ConsentStore } from "../topics/ConsentStore.ts"
import type { Topic } from "../topics/Topic.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { confirmation_path, confirmationToken } from "./ConfirmationLink.ts"
import { confirm_token, confirmationMail } from "./ConfirmationMail.ts"
import { type Decision, hasOptedOut, splitTopics, SubscriptionChange } from "./machine.ts"
import { day_ms, hour_ms, hourlyLimit, mailWait_s, requestWait_s } from "./MailLimits.ts"
import { AddressSuppressed, ConfirmationLimitReached } from "./SubscriptionErrors.ts"
import type { SubscriptionRequest } from "./SubscriptionRequest.ts"
import { SubscriptionStore } from "./SubscriptionStore.ts"

/** What a person asks for. */
export interface Wanted {
  readonly email: EmailAddress
  /** They exist and are active. */
  readonly topics: ReadonlyArray<Topic>
  readonly evidence: Evidence
  /** When the person agreed; null: now. */
  readonly collectedAt: DateTime.Utc | null
  /** Null: that of the workspace, or the built-in one. */
  readonly confirmationEmailId: EmailId | null
  readonly redirectUrl: string | null
  /** Null: that of each topic. */
  readonly doubleOptIn: boolean | null
}

/** Why a workspace can't ask people to confirm. */
export type ConfirmationRefusal = EmailNotReady | MessageTooLarge | TooComplex

export type MailRefusal = ConfirmationRefusal | NotFound | EmailNotApproved

export type SubscribingRefusal = AddressSuppressed | ConfirmationLimitReached | FreePlanEmailLimit | MailRefusal

/** A request that can be written. Its mail was prepared on facts that may have changed since. */
export interface PreparedRequest extends Wanted {
  readonly id: SubscriptionRequestId
  readonly workspace: Workspace
  readonly expiresAt: DateTime.Utc
  /** Null: no topic seemed to need one. */
  readonly mail: PreparedMessage | null
  readonly now: DateTime.Utc
}

export const subscribing = Effect.gen(function* () {
  const store = yield* SubscriptionStore
  const consents = yield* ConsentStore
  const topicStore = yield* TopicStore
  const contactStore = yield* ContactStore
  const workspaces = yield* WorkspaceStore
  const messages = yield* serviceMessages
  const secrets = yield* Secrets
  const ids = yield* Ids
  const { publicPagesUrl } = yield* Settings

  /** An own email of a request must fit. One of the workspace that does not is replaced by the built-in one. */
  const emailOf = Effect.fnUntraced(function* (workspace: Workspace, own: EmailId | null) {
    const id = own ?? workspace.consent.confirmationEmailId
    if (id === null) return null
    const check = messages.hasToken(workspace.id, id, confirm_token).pipe(
      Effect.flatMap((has) =>
        has
          ? Effect.succeed(id)
          : Effect.fail(
              new EmailNotReady({ missing: [confirm_token], fromAddress: null, before: "sending the message" }),
            ),
      ),
      Effect.catchTags({
        NotFound: (refusal) => Effect.fail(refusal.at("confirmation_email_id")),
        EmailNotApproved: () => Effect.fail(new EmailNotApproved({ path: "confirmation_email_id" })),
        TemplateNotApproved: Effect.die,
      }),
    )
    if (own !== null) return yield* check
    return yield* Effect.catch(check, (refusal) =>
      Effect.as(
        Effect.logWarning(`the confirmation email of the workspace can't be sent: ${refusal.message}`).pipe(
          Effect.annotateLogs({ workspace_id: workspace.id }),
        ),
        null,
      ),
    )
  })

  /** The mail of a request for a contact, as it would be stored. */
  const prepareMail = Effect.fnUntraced(function* (
    workspace: Workspace,
    contact: Contact,
    request: Pick<SubscriptionRequest, "id" | "evidence" | "confirmationEmailId" | "expiresAt"> & {
      readonly email: EmailAddress
    },
    topics: ReadonlyArray<Pick<Topic, "name">>,
    now: DateTime.Utc,
  ) {
    const token = confirmationToken(secrets, { workspaceId: workspace.id, requestId: request.id })
    const message = confirmationMail(
      workspace,
      {
        email: request.email,
        topics: topics.map(({ name }) => name),
        text: request.evidence.text,
        confirmUrl: `${publicPagesUrl}/${confirmation_path}/${token}`,
        emailId: yield* emailOf(workspace, request.confirmationEmailId),
        expiresAt: request.expiresAt,
      },
      now,
    )
    // Its source is no template, and tokens without a value are allowed.
    return yield* Effect.catchTags(messages.prepare(workspace.id, message, contact, now), {
      EmailNotReady: ({ fromAddress, missing }) =>
        Effect.fail(new EmailNotReady({ missing, fromAddress, before: "asking people to confirm" })),
      TemplateNotApproved: Effect.die,
      UnresolvedTokens: Effect.die,
    })
  })

  /** A mail that would be blocked helps no one: the person can't confirm. */
  const mailable = (prepared: PreparedMessage): Effect.Effect<PreparedMessage, AddressSuppressed> => {
    const { reason } = prepared.accepted.message
    return reason === null ? Effect.succeed(prepared) : Effect.fail(new AddressSuppressed({ reason }))
  }

  const withOpen = (wanted: Pick<Wanted, "topics">, open: SubscriptionRequest | null): ReadonlyArray<TopicId> => [
    ...new Set([...wanted.topics.map(({ id }) => id), ...(open?.topicIds ?? [])]),
  ]

  const checkLimits = Effect.fnUntraced(function* (
    workspace: Workspace,
    emailNormalized: string,
    request: Pick<SubscriptionRequest, "mailedAt" | "expiresAt" | "evidence"> & { readonly isNew: boolean },
    now: DateTime.Utc,
  ) {
    const toAddress = yield* store.mailsTo(workspace.id, emailNormalized, Time.subtract(now, { milliseconds: day_ms }))
    const mail_s = mailWait_s({ toAddress, ofRequest: request.mailedAt, expiresAt: request.expiresAt }, now)
    if (mail_s > 0) return yield* new ConfirmationLimitReached({ of: "address", wait_s: mail_s })
    if (!request.isNew) return
    yield* store.lockCount(workspace.id)
    const nth = yield* store.nthUnconfirmed(
      workspace.id,
      hourlyLimit(workspace.consent.confirmationsPerHour, request.evidence.source),
      Time.subtract(now, { milliseconds: hour_ms }),
    )
    const request_s = requestWait_s(nth, now)
    if (request_s > 0) return yield* new ConfirmationLimitReached({ of: "workspace", wait_s: request_s })
  })

  /** Writes what was decided on locked choices. */
  const write = Effect.fnUntraced(function* (workspace: WorkspaceId, { change, steps }: Decision) {
    const recordIds = (yield* ids.many(steps.length)).map((id) => ConsentRecordId.make(id))
    yield* consents.apply(workspace, ChoicesChange.of(steps, recordIds))
    yield* store.apply(workspace, change)
  })

  return {
    prepareMail,
    mailable,
    checkLimits,
    write,
    accept: messages.accept,

    /** Fails when the workspace can ask no person to confirm, such as without a sender. Prepares a mail to a person of no address. */
    checkMail: Effect.fnUntraced(function* (workspaceId: WorkspaceId, evidence: Evidence) {
      const [workspace, now] = [yield* Effect.orDie(workspaces.get(workspaceId)), yield* Time.now]
      const id = SubscriptionRequestId.make(yield* ids.next)
      const request = { id, evidence, email: noAddress, confirmationEmailId: null, expiresAt: now }
      yield* Effect.catchTags(prepareMail(workspace, blankContact(ContactId.make(id), now), request, [], now), {
        // The email of the workspace was withdrawn meanwhile: the built-in one replaces it.
        NotFound: () => Effect.void,
        EmailNotApproved: () => Effect.void,
      })
    }),

    /** Before the transaction: reads what the mail needs, and renders its header. `stranger`: the contact if there is none yet. */
    prepare: Effect.fnUntraced(function* (
      workspaceId: WorkspaceId,
      wanted: Wanted,
      stranger: Contact,
      { now, strict }: { readonly now: DateTime.Utc; readonly strict: boolean },
    ) {
      const workspace = yield* Effect.orDie(workspaces.get(workspaceId))
      const id = SubscriptionRequestId.make(yield* ids.next)
      const expiresAt = Time.add(now, { days: workspace.consent.confirmation_days })
      const { contact: known, suppression } = yield* messages.factsOf(workspaceId, wanted.email)
      const contact = known ?? stranger
      const open = known === null ? null : yield* store.findPending(workspaceId, known.id)
      const topicIds = withOpen(wanted, open)
      const choices = known === null ? [] : yield* consents.choices(workspaceId, [known.id], topicIds)
      const options = optionsOf(wanted, known, suppression?.reason === "unsubscribe")
      const { waiting } = splitTopics(wanted.topics, choices, options)
      const topics = yield* topicStore.many(workspaceId, topicIds)
      const request = { ...wanted, id, expiresAt }
      const mailed = prepareMail(workspace, contact, request, topics, now)
      // The transaction tries again, and says why.
      const mail = waiting.length === 0 ? null : yield* strict ? mailed : Effect.orElseSucceed(mailed, () => null)
      return { ...request, workspace, mail, now } satisfies PreparedRequest
    }),

    /**
     * In a transaction that has locked the contact. `made`: the request created it. `strict` fails when no mail can be sent; else
     * what needs none is done, and a request that waits already gets the new topics. Null: nothing was written.
     */
    subscribe: Effect.fnUntraced(function* (
      wanted: PreparedRequest,
      { contact, made, strict }: { readonly contact: Contact; readonly made: boolean; readonly strict: boolean },
    ) {
      const { email, id, now, workspace } = wanted
      const open = yield* store.findPending(workspace.id, contact.id)
      const topicIds = withOpen(wanted, open)
      const choices = yield* consents.lock(workspace.id, [contact.id], topicIds)
      const known = yield* topicStore.many(workspace.id, topicIds)
      const { suppression } = yield* messages.factsOf(workspace.id, email)
      const topics = known.filter(({ id }) => wanted.topics.some((topic) => topic.id === id))
      const options = optionsOf(wanted, made ? null : contact, suppression?.reason === "unsubscribe")
      const { granted, waiting } = splitTopics(topics, choices, options)

      const mailed = Effect.gen(function* () {
        const { evidence, expiresAt } = wanted
        const limited = { mailedAt: [], evidence, expiresAt, isNew: true }
        yield* checkLimits(workspace, email.normalized, limited, now)
        const mail = wanted.mail ?? (yield* prepareMail(workspace, contact, wanted, waiting, now))
        return yield* messages.accept(workspace.id, yield* mailable(mail), contact.id, now)
      })
      const messageId =
        waiting.length === 0
          ? null
          : yield* strict ? mailed : Effect.catch(mailed, (refusal) => withoutMail(workspace, refusal))
      const isHeld = waiting.length > 0 && messageId === null && open === null
      if (isHeld && granted.length === 0) return null
      const decision = SubscriptionChange.ask(
        {
          id,
          contactId: contact.id,
          email: email.written,
          emailNormalized: email.normalized,
          evidence: wanted.evidence,
          madeContact: made,
          confirmationEmailId: wanted.confirmationEmailId,
          redirectUrl: wanted.redirectUrl,
          expiresAt: wanted.expiresAt,
          collectedAt: wanted.collectedAt ?? now,
        },
        {
          choices,
          now,
          granted,
          waiting: isHeld ? [] : waiting,
          messageId,
          open:
            open === null ? null : { request: open, topics: known.filter((topic) => open.topicIds.includes(topic.id)) },
        },
      )
      yield* write(workspace.id, decision)
      if (granted.length > 0) {
        const after = patchContact(contact, { marketingEmailSubscribed: true }, now)
        if (after !== contact)
          yield* contactStore.apply(workspace.id, ContactsChange.of([{ before: contact, after, at: now }]))
      }
      return decision.change.requests[0]?.after ?? null
    }),
  }
})

const noAddress: EmailAddress = { written: "", normalized: "" }

/** `contact` null: the request creates it. It has opted out of nothing. */
const optionsOf = ({ doubleOptIn, evidence }: Wanted, contact: Contact | null, isSuppressed: boolean) => ({
  optedOut: contact === null ? isSuppressed : hasOptedOut(contact, isSuppressed),
  byForm: evidence.source === "form",
  doubleOptIn,
})

/** A form's visitor does not learn that no mail is sent. The operator does, unless it is a limit or the address. */
const withoutMail = (workspace: Workspace, refusal: SubscribingRefusal): Effect.Effect<null> =>
  refusal._tag === "ConfirmationLimitReached" || refusal._tag === "AddressSuppressed"
    ? Effect.succeed(null)
    : Effect.logWarning(`no confirmation mail was sent: ${refusal.message}`).pipe(
        Effect.annotateLogs({ workspace_id: workspace.id }),
        Effect.as(null),
      )
