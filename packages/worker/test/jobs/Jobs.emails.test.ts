// Tests of jobs that send test messages: at most once, with a mail server that counts and fails.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { Fresh } from "@tentpole/core/contract"
import { MailConnections } from "@tentpole/core/sending/MailConnection"
import { EmailChange } from "@tentpole/core/emails/Email"
import { Emails } from "@tentpole/core/emails/Emails"
import { EmailStore } from "@tentpole/core/emails/EmailStore"
import { type TestMailInput, TestMails } from "@tentpole/core/sending/TestMails"
import { EmailId, GenerationId, TestMailId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { attempts_to_work, handlers } from "@tentpole/worker/jobs/Jobs"
import { assert, it, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import PostalMime from "postal-mime"
import { connectionsTo, settings, workspace, world } from "../fixtures/WorkerFixture.ts"
import { type FakeSmtpOptions, fakeSmtp } from "@tentpole/adapters/test/FakeSmtp"

const surroundings = TestMails.layer.pipe(Layer.provideMerge(world))

const html = `<html><body><p>Hi {{contact.first_name}}</p><a href="https://example.com/a">go</a></body></html>`

/** An email of a workspace that can send, and a mail server with these options. */
const furnished = Effect.fnUntraced(function* (options: FakeSmtpOptions = {}) {
  const workspaceId = yield* workspace
  const emails = yield* EmailStore
  const mails = yield* TestMails
  const { transact } = yield* Transactor
  const fresh = yield* Fresh
  const sql = yield* PgClient.PgClient
  const server = yield* fakeSmtp(options)
  const fields = {
    name: "An email",
    subject: "Hello",
    fromName: "News",
    fromAddress: "news@sender.test",
    replyToEmail: "news@sender.test",
  }
  const change = EmailChange.create({
    id: EmailId.make(yield* fresh.id),
    fields,
    html,
    createdByName: "a key",
    by: "worker",
    now: DateTime.makeUnsafe(1_000),
  })
  const { after: email } = Result.getOrThrow(change)
  yield* transact(emails.apply(workspaceId, Result.getOrThrow(change)))
  const asked = Effect.fnUntraced(function* (to: TestMailInput["to"]) {
    yield* mails.create(workspaceId, email.id, { to })
    const rows = yield* fenced(sql)(
      workspaceId,
      sql<{
        id: string
      }>`select test_mail_id as id from test_mail where workspace_id = ${workspaceId} order by address`,
    )
    return rows.map(({ id }) => ({ type: "test_mail", workspaceId, testMailId: TestMailId.make(id) }) as const)
  })
  const waiting = fenced(sql)(
    workspaceId,
    sql<{ count: number }>`select count(*)::int as count from test_mail where workspace_id = ${workspaceId}`,
  ).pipe(Effect.map(([row]) => row?.count))
  const over = connectionsTo(server.port)
  const send = (job: Parameters<typeof handlers.test_mail>[0], attempt = 1) =>
    handlers
      .test_mail(job, { id: "test_mail:x", attempt })
      .pipe(Effect.provide(over), Effect.exit, Effect.map(Exit.isSuccess))
  return { workspace: workspaceId, server, asked, send, waiting, email, emails, transact, sql }
})

const only = <A>([first]: ReadonlyArray<A>): A => first ?? assert.fail("the list is empty")

const suppress = (workspace: WorkspaceId, address: string, reason: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    fenced(sql)(
      workspace,
      sql`insert into suppression (workspace_id, email_normalized, reason, created_at)
        values (${workspace}, ${address}, ${reason}, now())`,
    ),
  )

layer(surroundings, { excludeTestServices: true })("a test message", (it) => {
  it.effect("is sent once to each address, and then deleted", () =>
    Effect.gen(function* () {
      const { server, asked, send, waiting } = yield* furnished()
      const jobs = yield* asked(["ann@example.test", "bob@example.test", "ANN@example.test"])
      assert.lengthOf(jobs, 2)
      for (const job of [...jobs, ...jobs]) assert.isTrue(yield* send(job))
      assert.sameMembers(
        server.messages.map(({ to }) => to),
        ["ann@example.test", "bob@example.test"],
      )
      assert.strictEqual(yield* waiting, 0)
    }),
  )

  it.effect("equals a recipient's message except for its subject, and is not counted", () =>
    Effect.gen(function* () {
      const { workspace, asked } = yield* furnished()
      const job = only(yield* asked(["ann@example.test"]))
      const { envelope, bytes } = yield* (yield* TestMails).render(workspace, job.testMailId)
      assert.strictEqual(envelope.to, "ann@example.test")
      const mail = yield* Effect.promise(() => PostalMime.parse(bytes))
      assert.strictEqual(mail.subject, "[Test] Hello")
      assert.deepInclude(mail.from, { name: "News", address: "news@sender.test" })
      assert.include(mail.html, `<p>Hi Sample</p><a href="https://example.com/a">go</a>`)
      assert.include(mail.html, "1 Main Street")
      assert.notInclude(mail.html, "<img")
      assert.include(mail.text, "Hi Sample")
      const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value
      assert.include(header("dkim-signature"), "d=sender.test")
      assert.match(header("list-unsubscribe") ?? "", /^<http.*\/u\/.*>$/)
    }),
  )

  it.effect("is sent once when two workers have its job", () =>
    Effect.gen(function* () {
      const { server, asked, send } = yield* furnished({ behaviour: { pause_ms: 100 } })
      const job = only(yield* asked(["ann@example.test"]))
      yield* Effect.all([send(job), send(job), send(job)], { concurrency: 3 })
      assert.lengthOf(server.messages, 1)
    }),
  )

  it.effect("is retried after a temporary refusal, and ends after a permanent one", () =>
    Effect.gen(function* () {
      const { server, asked, send, waiting } = yield* furnished()
      const job = only(yield* asked(["ann-rcpt451x1-dot451x2@example.test"]))
      assert.isFalse(yield* send(job))
      assert.isFalse(yield* send(job))
      assert.strictEqual(yield* waiting, 1)
      assert.isTrue(yield* send(job))
      assert.lengthOf(server.messages, 2)
      assert.isTrue(yield* send(only(yield* asked(["bad-rcpt550@example.test"]))))
      assert.strictEqual(yield* waiting, 0)
      assert.lengthOf(server.messages, 2)
    }),
  )

  it.effect("is not sent again when it is unconfirmed", () =>
    Effect.gen(function* () {
      const { server, asked, send, waiting } = yield* furnished({
        script: (stage) => (stage === "dot" ? "cut" : undefined),
      })
      const job = only(yield* asked(["ann@example.test"]))
      assert.isTrue(yield* send(job))
      assert.isTrue(yield* send(job))
      assert.lengthOf(server.messages, 1)
      assert.strictEqual(yield* waiting, 0)
    }),
  )

  it.effect("is not sent again when its worker died after the hand-over", () =>
    Effect.gen(function* () {
      const { workspace, server, asked, send } = yield* furnished()
      const job = only(yield* asked(["ann@example.test"]))
      assert.isTrue(yield* (yield* TestMails).handOver(workspace, job.testMailId))
      assert.isTrue(yield* send(job))
      assert.lengthOf(server.messages, 0)
    }),
  )

  it.effect("is not interrupted between intent and reply", () =>
    Effect.gen(function* () {
      const { server, asked, send, waiting } = yield* furnished({ behaviour: { pause_ms: 200 } })
      const job = only(yield* asked(["ann@example.test"]))
      const sending = yield* Effect.forkChild(send(job))
      while (server.messages.length === 0) yield* Effect.sleep("10 millis")
      yield* Fiber.interrupt(sending)
      assert.strictEqual(yield* waiting, 0)
      yield* send(job)
      assert.lengthOf(server.messages, 1)
    }),
  )

  it.effect("is not sent to a suppressed address, but to an unsubscribed one", () =>
    Effect.gen(function* () {
      const { workspace, server, asked, send } = yield* furnished()
      yield* suppress(workspace, "ann@example.test", "complaint")
      yield* suppress(workspace, "bob@example.test", "unsubscribe")
      for (const job of yield* asked(["Ann@example.test", "bob@example.test"])) assert.isTrue(yield* send(job))
      assert.deepStrictEqual(
        server.messages.map(({ to }) => to),
        ["bob@example.test"],
      )
    }),
  )

  it.effect("is not sent without its email, without a verified domain, and with SENDING=held", () =>
    Effect.gen(function* () {
      const { workspace, server, asked, send, waiting, email, emails, transact, sql } = yield* furnished()
      const unsent = only(yield* asked(["held@example.test"]))
      const holding = Layer.succeed(Settings, Settings.of({ ...settings, sending: "held" }))
      assert.isTrue(yield* send(unsent).pipe(Effect.provide(holding)))
      assert.strictEqual(yield* waiting, 0)
      const first = only(yield* asked(["ann@example.test"]))
      yield* fenced(sql)(workspace, sql`update sending_domain set status = 'failed' where workspace_id = ${workspace}`)
      assert.isTrue(yield* send(first))
      assert.strictEqual(yield* waiting, 0)
      yield* fenced(sql)(
        workspace,
        sql`update sending_domain set status = 'verified' where workspace_id = ${workspace}`,
      )
      const second = only(yield* asked(["bob@example.test"]))
      yield* transact(
        Effect.gen(function* () {
          const removed = EmailChange.remove(yield* emails.lock(workspace, email.id), { users: [], count: 0 })
          yield* emails.apply(workspace, Result.getOrThrow(removed))
        }),
      )
      assert.isTrue(yield* send(second))
      assert.lengthOf(server.messages, 0)
    }),
  )

  it.effect("fails after the last attempt", () =>
    Effect.gen(function* () {
      const { asked, send, waiting } = yield* furnished({ script: (stage) => (stage === "rcpt" ? 451 : undefined) })
      const job = only(yield* asked(["ann@example.test"]))
      assert.isFalse(yield* send(job, attempts_to_work - 1))
      assert.strictEqual(yield* waiting, 1)
      assert.isFalse(yield* send(job, attempts_to_work))
      assert.strictEqual(yield* waiting, 0)
    }),
  )
})

const testMailJob = {
  type: "test_mail",
  workspaceId: WorkspaceId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"),
  testMailId: TestMailId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e12"),
} as const

it.effect("a message without a reply within the time limit is unconfirmed", () =>
  Effect.gen(function* () {
    const calls: Array<string> = []
    const released = yield* Deferred.make<void>()
    const closed = yield* Deferred.make<void>()
    const mails = Layer.mock(TestMails)({
      render: () => Effect.succeed({ envelope: { from: "a@x.test", to: "b@x.test" }, bytes: new Uint8Array() }),
      handOver: () => Effect.sync(() => calls.push("handed over") > 0),
      delete: () => Effect.sync(() => void calls.push("forgotten")),
    })
    const ready = {
      release: () =>
        Deferred.succeed(released, undefined).pipe(
          Effect.andThen(Deferred.await(closed)),
          Effect.as({ _tag: "inDoubt" } as const),
        ),
      abandon: Effect.void,
    }
    const connection = { begin: () => Effect.succeed(ready), alive: Effect.succeed(true) }
    const open = Effect.acquireRelease(Effect.succeed(connection), () => Deferred.succeed(closed, undefined))
    const around = Layer.mergeAll(
      mails,
      Layer.succeed(MailConnections, MailConnections.of({ open })),
      Layer.succeed(Settings, Settings.of(settings)),
    )
    const sending = yield* Effect.forkChild(
      handlers.test_mail(testMailJob, { id: "x", attempt: 1 }).pipe(Effect.provide(around)),
    )
    yield* Deferred.await(released)
    yield* TestClock.adjust("19 seconds")
    assert.deepStrictEqual(calls, ["handed over"])
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(sending)
    assert.deepStrictEqual(calls, ["handed over", "forgotten"])
  }),
)

const generationJob = {
  type: "email_generation",
  workspaceId: WorkspaceId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"),
  emailId: EmailId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e12"),
  generationId: GenerationId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e13"),
} as const

it.effect("a generation that crashed its workers is abandoned without another attempt", () =>
  Effect.gen(function* () {
    const attempted = Effect.fnUntraced(function* (attempt: number, work: Effect.Effect<void>) {
      let [worked, abandoned] = [false, false]
      const emails = Layer.mock(Emails)({
        runGeneration: () =>
          Effect.andThen(
            Effect.sync(() => void (worked = true)),
            work,
          ),
        abandonGeneration: () => Effect.sync(() => void (abandoned = true)),
      })
      yield* Effect.exit(handlers.email_generation(generationJob, { id: "x", attempt }).pipe(Effect.provide(emails)))
      return [worked, abandoned]
    })
    const broken = Effect.die(new Error("the store is unreachable"))
    assert.deepStrictEqual(yield* attempted(1, broken), [true, false])
    assert.deepStrictEqual(yield* attempted(attempts_to_work, broken), [true, true])
    assert.deepStrictEqual(yield* attempted(attempts_to_work, Effect.void), [true, false])
    assert.deepStrictEqual(yield* attempted(attempts_to_work + 1, Effect.void), [false, true])
  }),
)
