// The jobs of emails: what the AI is asked to write, and tests of what is written.
import { Emails } from "@tentpole/core/emails/Emails"
import { type TestMailRefused, TestMails } from "@tentpole/core/sending/TestMails"
import { type Connection, type ConnectFailed, MailConnections, NotSent } from "@tentpole/core/sending/MailConnection"
import type { OutgoingMessage } from "@tentpole/core/sending/OutgoingMail"
import { legible } from "@tentpole/core/sending/Settlement"
import type { Job, JobAttempt } from "@tentpole/core/kernel/Jobs"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Effect, Exit, Fiber, Scope } from "effect"
import { retryThenFail } from "./RetryPolicy.ts"

type Of<Type extends Job["type"]> = Extract<Job, { readonly type: Type }>

export const emailGeneration = (job: Of<"email_generation">, attempt: JobAttempt) =>
  Effect.flatMap(Emails, (emails) => {
    const { workspaceId, emailId, generationId } = job
    return retryThenFail(
      attempt,
      emails.generate(workspaceId, emailId, generationId),
      emails.giveUp(workspaceId, emailId, generationId),
    )
  })

/** A reply that takes longer leaves the message in doubt: it is not sent again, and a worker that is to stop can. */
const reply_time_max = "20 seconds"

/** Sends it at most once: the leave to hand it over is committed between the server's yes and the body. */
export const testMail = (job: Of<"test_mail">, attempt: JobAttempt) =>
  Effect.flatMap(TestMails, (mails) => {
    const forget = mails.forget(job.workspaceId, job.testMailId)
    return retryThenFail(attempt, sent(job), forget)
  })

const sent = Effect.fnUntraced(
  function* (job: Of<"test_mail">) {
    const mails = yield* TestMails
    if ((yield* Settings).sending === "held") return yield* ended(job, "SENDING=held: no mail leaves")
    const message = yield* mails.make(job.workspaceId, job.testMailId)
    const scope = yield* Scope.make()
    yield* Effect.ensuring(over(job, message, scope), Scope.close(scope, Exit.void))
  },
  (sending, job) =>
    sending.pipe(
      // Handed over, ended, or gone with its email or contact: there is nothing to send any more.
      Effect.catchTag("NotFound", () => ended(job, null)),
      Effect.catchTag("TestMailRefused", ({ why }: TestMailRefused) => ended(job, why)),
    ),
)

/** Connects, asks, hands over. What may pass fails, and is tried again; what won't ends. */
const over = Effect.fnUntraced(
  function* (job: Of<"test_mail">, message: OutgoingMessage, scope: Scope.Closeable) {
    const connection = yield* (yield* MailConnections).open.pipe(Scope.provide(scope))
    yield* handedOver(job, message, connection, scope)
  },
  (sending, job) =>
    sending.pipe(
      Effect.catchTag("ConnectFailed", (error: ConnectFailed) =>
        error.permanent ? ended(job, error.reason) : Effect.fail(error),
      ),
      Effect.catchTag("NotSent", (error) => (isForGood(error.code) ? ended(job, error.reply) : Effect.fail(error))),
    ),
)

const handedOver = (job: Of<"test_mail">, message: OutgoingMessage, connection: Connection, scope: Scope.Closeable) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const mails = yield* TestMails
      const ready = yield* restore(connection.begin(message.envelope))
      if (!(yield* mails.handOver(job.workspaceId, job.testMailId))) {
        yield* ready.abandon
        return yield* ended(job, "its address is suppressed, or another worker has it")
      }
      const impatient = Effect.andThen(Effect.sleep(reply_time_max), Scope.close(scope, Exit.void))
      const waiting = yield* Effect.forkDetach(Effect.interruptible(impatient))
      const outcome = yield* ready.release(message.bytes)
      yield* Fiber.interrupt(waiting)
      switch (outcome._tag) {
        case "accepted":
          return yield* mails.forget(job.workspaceId, job.testMailId)
        case "inDoubt":
          return yield* ended(job, "nobody knows whether the mail server has it")
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

/** It is not sent, and will not be. Null: there is nothing to tell. */
const ended = Effect.fnUntraced(function* ({ workspaceId, testMailId }: Of<"test_mail">, why: string | null) {
  yield* (yield* TestMails).forget(workspaceId, testMailId)
  if (why === null) return
  yield* Effect.logWarning("a test message was not sent").pipe(
    Effect.annotateLogs({ workspace_id: workspaceId, test_mail_id: testMailId, reason: legible(why) }),
  )
})
