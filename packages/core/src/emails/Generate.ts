// The worker's part of an email that the AI writes: it is asked for outside any transaction, and kept in one that looks again
// whether it is still wanted.
import { DateTime, Effect, Option, Result } from "effect"
import { Ai } from "../ai/Ai.ts"
import type { EmailId, GenerationId, WorkspaceId } from "../Ids.ts"
import { Cleaner } from "../tents/Clean.ts"
import { Transactor } from "../Transactor.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { EmailChange } from "./EmailChange.ts"
import { checkHtml } from "./EmailInput.ts"
import { EmailStore } from "./EmailStore.ts"

/** What `Emails.generate` and `Emails.giveUp` are made of. */
export const generation = Effect.gen(function* () {
  const store = yield* EmailStore
  const { transact } = yield* Transactor
  const write = yield* writer

  const settle = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    id: EmailId,
    of: GenerationId,
    written: Result.Result<Written, string>,
  ) {
    const email = yield* store.lock(workspace, id)
    const now = yield* DateTime.now
    const change = Result.isSuccess(written)
      ? EmailChange.complete(email, of, written.success, now)
      : EmailChange.fail(email, of, written.failure, now)
    // Giving back never lacks credits.
    if (change !== null) yield* Effect.orDie(store.apply(workspace, change))
  }, transact)

  return {
    generate: Effect.fn("Emails.generate")(
      function* (workspace: WorkspaceId, id: EmailId, of: GenerationId) {
        const { status, prompt } = yield* store.generation(workspace, id, of)
        if (status === "generating") yield* settle(workspace, id, of, yield* write(workspace, id, prompt))
      },
      // An email that was deleted meanwhile wants nothing any more.
      Effect.catchTag("NotFound", () => Effect.void),
    ),
    giveUp: Effect.fn("Emails.giveUp")(
      function* (workspace: WorkspaceId, id: EmailId, of: GenerationId) {
        yield* settle(workspace, id, of, Result.fail(brokenOff))
      },
      Effect.catchTag("NotFound", () => Effect.void),
    ),
  }
})

interface Written {
  /** Clean and of bearable size. */
  readonly html: string
  readonly subject: string | null
  readonly previewText: string | null
}

/** Writes an email, or the sentence that says why there is none. */
const writer = Effect.gen(function* () {
  const store = yield* EmailStore
  const workspaces = yield* WorkspaceStore
  const ai = yield* Ai
  const cleaner = yield* Cleaner
  return Effect.fnUntraced(function* (workspace: WorkspaceId, id: EmailId, prompt: string) {
    const { name } = yield* store.find(workspace, id)
    const basis = yield* store.basis(workspace, id)
    const { brand } = yield* workspaces.find(workspace)
    const answer = yield* ai
      .email({ prompt, name, brand, basis })
      .pipe(Effect.timeoutOption(answer_time_max), Effect.result)
    if (Result.isFailure(answer)) {
      return Result.fail(answer.failure._tag === "AiRefused" ? answer.failure.message : unavailable)
    }
    if (Option.isNone(answer.success)) return Result.fail(unavailable)
    const { html, subject, previewText } = answer.success.value
    return cleaner.cleanEmail(html).pipe(
      Result.mapError(({ reason }) => `What the AI wrote ${reason}`),
      Result.flatMap((clean) => Result.mapError(checkHtml(clean), () => unusable)),
      Result.map((clean): Written => ({ html: clean, subject, previewText })),
    )
  })
})

const answer_time_max = "10 minutes"
const unavailable = "The AI provider does not answer at the moment. Nothing was charged: try again in a few minutes"
const unusable = "What the AI wrote is empty or larger than 2 MB. Nothing was charged: try again with another prompt"
const brokenOff = "The generation was broken off again and again. Nothing was charged: try again with another prompt"
