// Test messages of an email: the message that a recipient would get, sent to a few addresses. Its links count nothing and
// unsubscribe no contact. Each message is sent at most once.
import { senderOf } from "../rendering/message/Message.ts"
import { Array, Context, DateTime, Effect, Layer, Result, Schema } from "effect"
import { ContactStore } from "../contacts/ContactStore.ts"
import { type EmailAddress, parseEmail } from "../kernel/values/EmailAddress.ts"
import { Links } from "../rendering/Links.ts"
import { type OutgoingMessage, signingKeys, unsigned } from "./OutgoingMail.ts"
import { TemplateNotReady } from "../documents/DocumentErrors.ts"
import { type ContactId, DeliveryId, type EmailId, Ids, TestMailId, type WorkspaceId } from "../kernel/Ids.ts"
import { Jobs } from "../kernel/changes/Jobs.ts"
import { Invalid, type Issue, NotFound, refusalClass } from "../kernel/Refusal.ts"
import { requestLimit } from "../kernel/runtime/RequestLimit.ts"
import { inSteps } from "../kernel/runtime/Steps.ts"
import { Settings } from "../kernel/Settings.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { MessageTooLarge } from "../rendering/MessageTooLarge.ts"
import { compileInput, compileParser } from "../rendering/Compile.ts"
import { decideWith, Parsers } from "../ports/Parsers.ts"
import { dkimSigned, DkimSigner } from "../rendering/message/Dkim.ts"
import { type Email, missingIn } from "../emails/Email.ts"
import { EmailNotReady } from "../emails/EmailErrors.ts"
import { EmailStore } from "../emails/EmailStore.ts"
import { asApproved, sampleContact, untracked } from "../emails/Preview.ts"
import { type TestMail, TestMailStore } from "./TestMailStore.ts"

export const test_addresses_max = 5

/** Requests that a workspace may make. They count in no plan. */
export const tests_per_hour_max = 60
const workspaces_max = 10_000

export class TooManyTests extends refusalClass<TooManyTests>()("TooManyTests", {
  code: "rate_limited",
  fields: { wait_s: Schema.Int },
  message: ({ wait_s }) =>
    `A workspace can send ${tests_per_hour_max} tests an hour. Try again in ${wait_s} second${wait_s === 1 ? "" : "s"}`,
}) {}

export interface TestMailInput {
  readonly to: ReadonlyArray<string>
  /** Defaults to a sample contact. */
  readonly contactId?: ContactId
}

/** It can't be rendered any more. */
export class TestMailRefused extends Schema.TaggedError<TestMailRefused>()("TestMailRefused", { why: Schema.String }) {
  override get message(): string {
    return this.why
  }
}

export class TestMails extends Context.Service<
  TestMails,
  {
    /** Accepts a test of the current version. Returns the email. */
    readonly create: (
      workspace: WorkspaceId,
      id: EmailId,
      input: TestMailInput,
    ) => Effect.Effect<Email, NotFound | Invalid | EmailNotReady | TemplateNotReady | MessageTooLarge | TooManyTests>
    /** For workers: the signed message. `NotFound` when it must not be sent, or not any more. */
    readonly render: (
      workspace: WorkspaceId,
      id: TestMailId,
    ) => Effect.Effect<OutgoingMessage, NotFound | TestMailRefused | MessageTooLarge>
    /** Called between the mail server's 354 and the body: true at most once, unless `release` is called in between. */
    readonly handOver: (workspace: WorkspaceId, id: TestMailId) => Effect.Effect<boolean>
    readonly release: (workspace: WorkspaceId, id: TestMailId) => Effect.Effect<void>
    readonly delete: (workspace: WorkspaceId, id: TestMailId) => Effect.Effect<void>
  }
>()("tentpole/TestMails") {
  static readonly layer = Layer.effect(
    TestMails,
    Effect.gen(function* () {
      const emails = yield* EmailStore
      const contacts = yield* ContactStore
      const store = yield* TestMailStore
      const { transact } = yield* Transactor
      const ids = yield* Ids
      const jobs = yield* Jobs
      const written = yield* message
      const { take } = yield* requestLimit({
        limit: "test messages",
        capacity: tests_per_hour_max,
        per_second: tests_per_hour_max / 3600,
        keys_max: workspaces_max,
      })

      return TestMails.of({
        create: Effect.fn("TestMails.create")(function* (workspace, id, { to, contactId }) {
          const addresses = yield* Effect.fromResult(checkAddresses(to))
          const { document: email, html } = yield* emails.current(workspace, id)
          if (contactId !== undefined) yield* contacts.get(workspace, contactId).pipe(Effect.mapError(inBody))
          if (html === null) return yield* new TemplateNotReady()
          const missing = missingIn(email, yield* emails.facts(workspace))
          if (missing.length > 0) {
            return yield* new EmailNotReady({
              missing,
              fromAddress: email.fromAddress,
              before: "sending a test of it",
            })
          }
          const { allowed, retryAfter_s } = yield* take(workspace)
          if (!allowed) return yield* new TooManyTests({ wait_s: retryAfter_s })
          const about = { emailId: id, version: email.currentVersion, contactId: contactId ?? null }
          const mails = Array.zipWith(
            yield* ids.many(addresses.length),
            addresses,
            (next, { normalized, written: address }): TestMail => ({
              ...about,
              id: TestMailId.make(next),
              address,
              addressNormalized: normalized,
            }),
          )
          const [first] = mails
          // Rendered now too, so that the caller learns of a message that is too large. No transaction waits for a parsing thread.
          if (first !== undefined)
            yield* Effect.catchTag(written(workspace, first), "TestMailRefused", () => Effect.void)
          yield* transact(
            Effect.gen(function* () {
              yield* emails.lock(workspace, id)
              yield* store.add(workspace, mails)
              for (const mail of mails) {
                const job = { type: "test_mail", workspaceId: workspace, testMailId: mail.id } as const
                yield* jobs.enqueue(job, { id: `test_mail:${mail.id}` })
              }
            }),
          )
          return email
        }),

        render: Effect.fn("TestMails.render")(function* (workspace, id) {
          return yield* written(workspace, yield* store.waiting(workspace, id))
        }),

        handOver: (workspace, id) => transact(store.handOver(workspace, id)),
        release: (workspace, id) => transact(store.release(workspace, id)),
        delete: (workspace, id) => transact(store.delete(workspace, id)),
      })
    }),
  )
}

/** Renders a waiting test message. */
const message = Effect.gen(function* () {
  const emails = yield* EmailStore
  const contacts = yield* ContactStore
  const workspaces = yield* WorkspaceStore
  const links = yield* Links
  const signer = yield* DkimSigner
  const keys = yield* signingKeys
  const parsers = yield* Parsers
  const { message_bytes_max } = yield* Settings

  return Effect.fnUntraced(function* (workspace: WorkspaceId, mail: TestMail) {
    const { id, emailId, version, contactId, address } = mail
    const email = yield* emails.get(workspace, emailId)
    const html = yield* emails.html(workspace, emailId, version)
    const contact = contactId === null ? sampleContact(address) : yield* contacts.get(workspace, contactId)
    const approved = yield* Effect.orDie(decideWith(parsers, workspace)((parse) => asApproved(email, html, parse)))
    const key = yield* keys(workspace, approved.fromAddress)
    if (key === null) {
      return yield* new TestMailRefused({ why: `the domain of ${approved.fromAddress} is not verified any more` })
    }
    const sender = senderOf(yield* workspaces.get(workspace))
    const date = yield* DateTime.now
    const tested = { ...approved, subject: `[Test] ${approved.subject}` }
    const options = { ...untracked, addresses: links.addresses, message_bytes_max }
    const compiled = yield* Effect.orDie(parsers.run(compileParser, compileInput(tested, sender, options), workspace))
    // No delivery has the id of a test message: its links and its return path match nothing.
    const about = { tokens: null, list: workspace, campaign: `test:${emailId}`, single: null }
    const mine = { id: DeliveryId.make(id), address, contact, ...about }
    const { envelope, message } = yield* Effect.catchDefect(
      inSteps(unsigned({ compiled, domain: key.domain }, mine, { links, date })),
      (error) => Effect.fail(error instanceof MessageTooLarge ? error : new TestMailRefused({ why: String(error) })),
    )
    const bytes = yield* dkimSigned(message, key).pipe(Effect.provideService(DkimSigner, signer))
    return { envelope, bytes } satisfies OutgoingMessage
  })
})

/** Names the `contact_id` of the request's body. */
const inBody = (error: NotFound) => error.at("contact_id")

/** One to five addresses. Duplicates count once. */
const checkAddresses = (to: ReadonlyArray<string>): Result.Result<ReadonlyArray<EmailAddress>, Invalid> => {
  if (to.length === 0 || to.length > test_addresses_max) {
    return Result.fail(Invalid.at("to", `must have 1 to ${test_addresses_max} addresses, got ${to.length}`))
  }
  const read = to.map(parseEmail)
  const issues = read.flatMap((address, at): ReadonlyArray<Issue> =>
    address === null ? [{ path: `to.${at}`, message: "must be an email address, such as ann@example.com" }] : [],
  )
  if (issues.length > 0) return Result.fail(new Invalid({ issues }))
  const addresses = read.filter((address) => address !== null)
  return Result.succeed(Array.dedupeWith(addresses, (left, right) => left.normalized === right.normalized))
}
