// Requests column suggestions from the AI within the time of a preview, and stores them with the session. Repeated and
// concurrent previews of the same file with the same fields give the same result.
import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { Ai, type ColumnsRequest } from "../../ports/Ai.ts"
import { encodeText } from "../../kernel/Bytes.ts"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import { Secrets } from "../../kernel/Secrets.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import type { ImportSession, StoredSuggestions } from "../Import.ts"
import { ImportChange } from "../machine.ts"
import { ImportStore } from "../ImportStore.ts"
import type { HeaderAnalysis } from "../Preview.ts"
import { type SuggestionAnswer, acceptedMatches, noSuggestions } from "./Suggestions.ts"

/** The maximum time that a preview waits for the AI. */
const answer_time_max_s = 10

/**
 * The AI's answer for a preview: the stored one if the request is the same, else a new one, which is stored. When the AI
 * fails, the answer is `silent` and not stored.
 */
export const suggestionService = Effect.gen(function* () {
  const ai = yield* Ai
  const secrets = yield* Secrets
  const store = yield* ImportStore
  const { transact } = yield* Transactor

  /** Stores the answer. Of two concurrent answers the first one counts. */
  const storeMatches = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    session: ImportSession,
    suggestions: StoredSuggestions,
  ) {
    const locked = yield* store.lockSession(workspace, session.id)
    const change = ImportChange.storeSuggestions(locked, suggestions)
    if (change === null) return locked.suggestions?.matches ?? []
    if (!(yield* store.apply(workspace, change))) return yield* Effect.die("a session changed although it was locked")
    return suggestions.matches
  })

  return Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    session: ImportSession,
    { suggestionRequest: { request }, targets }: HeaderAnalysis,
  ): Effect.fn.Return<SuggestionAnswer, NotFound> {
    if (request === null) return noSuggestions
    const key = Hex.encode(secrets.sha256(encodeText(JSON.stringify(request))))
    if (session.suggestions?.key === key) return { _tag: "given", matches: session.suggestions.matches }
    const answer = yield* requestMatches(ai, request)
    if (answer._tag === "silent") return answer
    const matches = acceptedMatches(request, answer.matches, targets)
    return { _tag: "given", matches: yield* transact(storeMatches(workspace, session, { key, matches })) }
  })
})

const requestMatches = (ai: Ai["Service"], request: ColumnsRequest): Effect.Effect<SuggestionAnswer> =>
  ai.matchColumns(request).pipe(
    Effect.map((matches): SuggestionAnswer => ({ _tag: "given", matches })),
    Effect.timeoutOrElse({
      duration: { seconds: answer_time_max_s },
      orElse: () => Effect.succeed(silent(`the AI did not answer within ${answer_time_max_s} seconds`)),
    }),
    Effect.catchTag("AiRefused", () => Effect.succeed(silent("the AI gave no usable answer"))),
    Effect.catchTag("AiUnavailable", () => Effect.succeed(silent("the AI could not be reached"))),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError("the AI failed with a defect while it matched columns", defect),
        silent("the AI broke"),
      ),
    ),
  )

const silent = (reason: string): SuggestionAnswer => ({ _tag: "silent", reason })
