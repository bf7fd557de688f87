// sendTestMail: the job that sends a test message, at most once: the intent is committed between the server's 354 and the body.
import { TestMails } from "@tentpole/core/sending/TestMails"
import { type Connection, type ConnectFailed, MailConnections, NotSent } from "@tentpole/core/sending/MailConnection"
import type { OutgoingMessage } from "@tentpole/core/sending/OutgoingMail"
import { toPrintableLine } from "@tentpole/core/sending/Settlement"
import type { Job } from "@tentpole/core/kernel/changes/Jobs"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Effect, Exit, Fiber, Scope } from "effect"

type TestMailJob = Extract<Job, { readonly type: "test_mail" }>

/** After this time the message is unconfirmed. It is not sent again, and the worker can stop. */
const reply_time_max = "20 seconds"

export const sendTestMail = Effect.fnUntraced(
  function* (job: TestMailJob) {
    const mails = yield* TestMails
    if ((yield* Settings).sending === "held") return yield* ended(job, "SENDING=held: no mail leaves")
    const message = yield* mails.render(job.workspaceId, job.testMailId)
    const scope = yield* Scope.make()
    yield* Effect.ensuring(connectAndSend(job, message, scope), Scope.close(scope, Exit.void))
  },
  (sending, job) =>
    sending.pipe(
      // Already handed over or ended, or the email or contact was deleted.
      Effect.catchTag("NotFound", () => ended(job, null)),
      Effect.catchTags({
        TestMailRefused: ({ message }) => ended(job, message),
        MessageTooLarge: ({ message }) => ended(job, message),
      }),
    ),
)

/** Connects, requests the intent, hands over. Transient failures fail the job, which is retried; others end it. */
const connectAndSend = Effect.fnUntraced(
  function* (job: TestMailJob, message: OutgoingMessage, scope: Scope.Closeable) {
    const connection = yield* (yield* MailConnections).open.pipe(Scope.provide(scope))
    yield* handOver(job, message, connection, scope)
  },
  (sending, job) =>
    sending.pipe(
      Effect.catchTag("ConnectFailed", (error: ConnectFailed) =>
        error.permanent ? ended(job, error.reason) : Effect.fail(error),
      ),
      Effect.catchTag("NotSent", (error) => (isForGood(error.code) ? ended(job, error.reply) : Effect.fail(error))),
    ),
)

const handOver = (job: TestMailJob, message: OutgoingMessage, connection: Connection, scope: Scope.Closeable) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const mails = yield* TestMails
      const ready = yield* restore(connection.begin(message.envelope))
      if (!(yield* mails.handOver(job.workspaceId, job.testMailId))) {
        yield* ready.abandon
        return yield* ended(job, "its address is suppressed, or another worker has claimed it")
      }
      const impatient = Effect.andThen(Effect.sleep(reply_time_max), Scope.close(scope, Exit.void))
      const waiting = yield* Effect.forkDetach(Effect.interruptible(impatient))
      const outcome = yield* ready.release(message.bytes)
      yield* Fiber.interrupt(waiting)
      switch (outcome._tag) {
        case "accepted":
          return yield* mails.delete(job.workspaceId, job.testMailId)
        case "inDoubt":
          return yield* ended(job, "it is unknown whether the mail server accepted it")
        case "refused":
          if (isForGood(outcome.code)) return yield* ended(job, outcome.reply)
          yield* mails.release(job.workspaceId, job.testMailId)
          return yield* new NotSent({ stage: "data", code: outcome.code, reply: outcome.reply })
        case "notSent":
          yield* mails.release(job.workspaceId, job.testMailId)
          return yield* new NotSent({ stage: "connection", code: null, reply: "The connection broke" })
      }
    }),
  )

const isForGood = (code: number | null): boolean => code !== null && code >= 500

/** Records that the message will not be sent; a null reason needs no log line. */
const ended = Effect.fnUntraced(function* ({ workspaceId, testMailId }: TestMailJob, why: string | null) {
  yield* (yield* TestMails).delete(workspaceId, testMailId)
  if (why === null) return
  yield* Effect.logWarning("a test message was not sent").pipe(
    Effect.annotateLogs({ workspace_id: workspaceId, test_mail_id: testMailId, reason: toPrintableLine(why) }),
  )
})
