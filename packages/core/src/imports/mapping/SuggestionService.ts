// Asking the AI about the columns of a file, in the time that a preview has, and keeping what it says with the session: the
// same file before the same fields is previewed the same, however often and by however many at once.
import { Effect } from "effect"
import { Hex } from "effect/encoding"
import type { Ai, ColumnsRequest } from "../../ports/Ai.ts"
import { encodeText } from "../../kernel/Bytes.ts"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Secrets } from "../../kernel/Secrets.ts"
import type { Transaction, Transactor } from "../../kernel/changes/Transactor.ts"
import type { ImportSession } from "../Import.ts"
import { ImportChange } from "../machine.ts"
import type { ImportStore } from "../ImportStore.ts"
import type { PreviewReading } from "../Preview.ts"
import { type Answer, acceptedMatches, noSuggestions } from "./Suggestions.ts"

/** A preview waits no longer for the AI. */
const answer_time_max_s = 10

export interface SuggestionPorts {
  readonly ai: Ai["Service"]
  readonly secrets: Secrets["Service"]
  readonly store: ImportStore["Service"]
  readonly transact: Transactor["Service"]["transact"]
  readonly write: (workspace: WorkspaceId, change: ImportChange) => Effect.Effect<void, never, Transaction>
}

/**
 * What the AI says to a preview's question: what was kept when it was asked before, else asked now and kept. Whatever goes
 * wrong with the AI, the answer is a silent one, which is not kept.
 */
export const suggestionService = ({ ai, secrets, store, transact, write }: SuggestionPorts) => {
  const keyOf = (request: ColumnsRequest): string => Hex.encode(secrets.sha256(encodeText(JSON.stringify(request))))

  /** Of two that asked at once the first to come here is heard. */
  const keep = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    session: ImportSession,
    kept: NonNullable<ImportSession["suggestions"]>,
  ) {
    const locked = yield* store.lockSession(workspace, session.id)
    const change = ImportChange.keepSuggestions(locked, kept)
    if (change === null) return locked.suggestions?.matches ?? []
    yield* write(workspace, change)
    return kept.matches
  })

  return Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    session: ImportSession,
    { question: { request }, targets }: PreviewReading,
  ): Effect.fn.Return<Answer, NotFound> {
    if (request === null) return noSuggestions
    const key = keyOf(request)
    if (session.suggestions?.key === key) return { _tag: "given", matches: session.suggestions.matches }
    const answer = yield* ask(ai, request)
    if (answer._tag === "silent") return answer
    const matches = acceptedMatches(request, answer.matches, targets)
    return { _tag: "given", matches: yield* transact(keep(workspace, session, { key, matches })) }
  })
}

const ask = (ai: Ai["Service"], request: ColumnsRequest): Effect.Effect<Answer> =>
  ai.matchColumns(request).pipe(
    Effect.map((matches): Answer => ({ _tag: "given", matches })),
    Effect.timeoutOrElse({
      duration: { seconds: answer_time_max_s },
      orElse: () => Effect.succeed(silent(`the AI did not answer within ${answer_time_max_s} seconds`)),
    }),
    Effect.catchTag("AiRefused", () => Effect.succeed(silent("the AI gave no usable answer"))),
    Effect.catchTag("AiUnavailable", () => Effect.succeed(silent("the AI could not be reached"))),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("the AI broke while it was asked about columns", defect), silent("the AI broke")),
    ),
  )

const silent = (reason: string): Answer => ({ _tag: "silent", reason })
