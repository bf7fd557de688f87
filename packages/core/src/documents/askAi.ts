// Asking the AI for something to keep: within a time, and with a sentence for people where there is nothing.
import { Effect, Option, Result } from "effect"
import type { AiRefused, AiUnavailable, WrittenEmail } from "../ports/Ai.ts"
import type { HtmlTooLarge } from "../emails/EmailErrors.ts"
import type { Invalid } from "../kernel/Refusal.ts"

/** A model that thinks for longer has lost its way. */
const answer_time_max = "10 minutes"
const unavailable = "The AI provider does not answer at the moment. Nothing was charged: try again in a few minutes"

/** What it answers, or the sentence that says why it doesn't. What a model refuses with it says itself. */
export const asked = <A, R>(
  question: Effect.Effect<A, AiRefused | AiUnavailable, R>,
): Effect.Effect<Result.Result<A, string>, never, R> =>
  Effect.map(Effect.result(Effect.timeoutOption(question, answer_time_max)), (answer) => {
    if (Result.isFailure(answer)) {
      return Result.fail(answer.failure._tag === "AiRefused" ? answer.failure.message : unavailable)
    }
    return Option.isNone(answer.success) ? Result.fail(unavailable) : Result.succeed(answer.success.value)
  })

/** What it wrote with the HTML as it may be kept, or the sentence that says why it can't be. */
export const asKept = (
  written: WrittenEmail,
  keep: (html: string) => Result.Result<string, Invalid | HtmlTooLarge>,
): Result.Result<WrittenEmail, string> =>
  keep(written.html).pipe(
    Result.map((html) => ({ ...written, html })),
    Result.mapError((refused) => {
      const why =
        refused._tag === "Invalid"
          ? refused.issues.map(({ message }) => message).join(", ")
          : `is larger than ${refused.bytes_max / 2 ** 20} MB`
      return `What the AI wrote can't be kept: it ${why}. Nothing was charged: try again with another prompt`
    }),
  )
