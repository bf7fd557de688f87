// Use cases of forms on published pages: visitors submit them, and the workspace reads the submissions.
import { Context, DateTime, Effect, Layer, Result } from "effect"
import { identitiesOf } from "../contacts/batch/Batch.ts"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import { type ContactPatch, newContact } from "../contacts/ContactPatch.ts"
import { ContactStore, retryOnIdentityConflict } from "../contacts/ContactStore.ts"
import { fieldsByName } from "../contacts/batch/ContactItem.ts"
import { ContactId, Ids, SubmissionId, type WorkspaceId } from "../kernel/Ids.ts"
import type { Invalid, NotFound } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type PreparedRequest, subscribing } from "../subscriptions/Subscribing.ts"
import { type Evidence, evidenceOf } from "../topics/ConsentRecord.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { type Answers, readAnswers, readVisitor, type SentFields, type TooMuchSent } from "./Answers.ts"
import type { Form } from "./Form.ts"
import { agreedText, consentOf } from "./FormConsent.ts"
import { FormStore } from "./FormStore.ts"
import { SubmissionChange } from "./Submission.ts"

/** Where the visitor is, as evidence has it. */
export type VisitorTraces = Pick<Evidence, "ipPrefix" | "userAgent">

/** `consent`: the visitor agreed to get mail. It says nothing of the address, and of what was written. */
export type Accepted = "submission" | "consent"

/**
 * How long a submission with consent takes, at least. What is written depends on what is known of the address: without a fixed time,
 * the time would tell.
 */
const consent_takes_ms = 500

export class Forms extends Context.Service<
  Forms,
  {
    /** Fails when the page is not published any more. A bot's submission is dropped, with the same answer. */
    readonly submit: (
      workspace: WorkspaceId,
      form: Form,
      sent: SentFields,
      by: VisitorTraces,
    ) => Effect.Effect<Accepted, NotFound | Invalid | TooMuchSent>
    readonly list: FormStore["Service"]["list"]
  }
>()("tentpole/Forms") {
  static readonly layer = Layer.effect(
    Forms,
    Effect.gen(function* () {
      const store = yield* FormStore
      const contacts = yield* ContactStore
      const fieldStore = yield* ContactFieldStore
      const topicStore = yield* TopicStore
      const workspaces = yield* WorkspaceStore
      const { prepare, subscribe } = yield* subscribing
      const { transact } = yield* Transactor
      const ids = yield* Ids

      const visitorOf = Effect.fnUntraced(function* (workspace: WorkspaceId, answers: Answers) {
        const { defaultCountry } = yield* workspaces.get(workspace)
        const fields = fieldsByName(yield* fieldStore.list(workspace))
        const how = { values: "text", fields, defaultCountry, allowNotEditable: true } as const
        return yield* Effect.fromResult(readVisitor(answers, how))
      })

      /** What the visitor agreed to. Null: nothing, or the form asks for nothing. */
      const consentIn = Effect.fnUntraced(function* (workspace: WorkspaceId, form: Form, answers: Answers) {
        const set = (yield* store.consents(workspace, form.tentId)).get(form.formId) ?? null
        if (set === null && form.consent === null) return null
        const topics = (yield* topicStore.list(workspace)).map(({ topic }) => topic)
        const consent = consentOf(form, set, topics)
        const text = consent === null ? null : agreedText(form, consent, answers)
        return consent === null || text === null || consent.topicIds.length === 0
          ? null
          : { ...consent, text, topics: topics.filter(({ id }) => consent.topicIds.includes(id)) }
      })

      const receive = (workspace: WorkspaceId, { answers, form, request, submissionId, visitor }: Received) =>
        Effect.gen(function* () {
          const named = visitor === null ? [] : [{ patch: Result.succeed(visitor) }]
          const existing = yield* contacts.lock(workspace, identitiesOf(named))
          yield* store.lockPublished(workspace, form.tentId)
          const facts = { existing, ids: [ContactId.make(yield* ids.next)], now: yield* DateTime.now }
          const isNew = request !== null && existing.length === 0
          // No blast may take the contact for one that has not objected.
          const fields = isNew && visitor !== null ? { ...visitor, marketingEmailSubscribed: false } : visitor
          const change = SubmissionChange.receive({ id: submissionId, form, answers, visitor: fields }, facts)
          yield* store.apply(workspace, change)
          const { contactId } = change.submission
          if (request === null || contactId === null) return
          const contact = yield* Effect.orDie(contacts.get(workspace, contactId))
          // The phone may have led to a contact with another address.
          if (contact.emailNormalized !== request.email.normalized) return
          yield* subscribe(request, { contact, made: isNew, strict: false }).pipe(
            Effect.catchIf((error) => error._tag !== "IdentityTaken", Effect.die),
          )
        }).pipe(transact, retryOnIdentityConflict)

      const submit = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        form: Form,
        answers: Answers,
        by: VisitorTraces,
      ) {
        const visitor = yield* visitorOf(workspace, answers)
        const submissionId = SubmissionId.make(yield* ids.next)
        const email = visitor?.email ?? null
        const consent = email === null ? null : yield* consentIn(workspace, form, answers)
        const received = { answers, form, submissionId, visitor }
        if (visitor === null || email === null || consent === null) {
          yield* receive(workspace, { ...received, request: null })
          return "submission"
        }
        const { tentId, formId } = form
        const now = yield* DateTime.now
        const wanted = {
          email,
          topics: consent.topics,
          evidence: evidenceOf("form", { text: consent.text, tentId, formId, submissionId, ...by }),
          collectedAt: null,
          confirmationEmailId: null,
          redirectUrl: null,
          doubleOptIn: consent.doubleOptIn,
        }
        const stranger = newContact(ContactId.make(submissionId), visitor, "form", now)
        const request = yield* Effect.orDie(prepare(workspace, wanted, stranger, { now, strict: false }))
        yield* receive(workspace, { ...received, request })
        return "consent"
      })

      return Forms.of({
        submit: Effect.fn("Forms.submit")(function* (workspace, form, sent, by) {
          const began_ms = (yield* DateTime.now).epochMilliseconds
          const answers = yield* Effect.fromResult(readAnswers(form, sent))
          if (answers === null) return "submission"
          const accepted = yield* submit(workspace, form, answers, by)
          if (accepted === "consent") {
            const taken_ms = (yield* DateTime.now).epochMilliseconds - began_ms
            yield* Effect.sleep(Math.max(0, consent_takes_ms - taken_ms))
          }
          return accepted
        }),
        list: store.list,
      })
    }),
  )
}

interface Received {
  readonly form: Form
  readonly answers: Answers
  readonly submissionId: SubmissionId
  /** Null: the visitor left neither email nor phone. */
  readonly visitor: ContactPatch | null
  /** Null: the visitor agreed to nothing. */
  readonly request: PreparedRequest | null
}
