// The worker's part of an email that the AI writes: it is asked for outside any transaction, and kept in one that looks again
// whether it is still wanted.
import { DateTime, Effect, Result } from "effect"
import { Ai, type WrittenEmail } from "../ports/Ai.ts"
import { asked, asKept } from "../documents/askAi.ts"
import type { EmailId, GenerationId, WorkspaceId } from "../kernel/Ids.ts"
import { Transactor } from "../kernel/Transactor.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { EmailChange } from "./EmailChange.ts"
import { keepableEmail } from "./EmailInput.ts"
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
    written: Result.Result<WrittenEmail, string>,
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

/** Writes an email, or the sentence that says why there is none. */
const writer = Effect.gen(function* () {
  const store = yield* EmailStore
  const workspaces = yield* WorkspaceStore
  const ai = yield* Ai
  const keep = yield* keepableEmail
  return Effect.fnUntraced(function* (workspace: WorkspaceId, id: EmailId, prompt: string) {
    const { name } = yield* store.find(workspace, id)
    const basis = yield* store.basis(workspace, id)
    const { brand } = yield* workspaces.find(workspace)
    const answer = yield* asked(ai.email({ prompt, name, brand, basis }))
    return Result.flatMap(answer, (written) => asKept(written, keep))
  })
})

const brokenOff = "The generation was broken off again and again. Nothing was charged: try again with another prompt"
