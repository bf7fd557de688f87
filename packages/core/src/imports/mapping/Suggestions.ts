// The AI request for columns that no header match has placed, and the use of its answer. Only the shapes of values are
// sent. The answer counts only if it names a requested column and an existing field. A file with instructions for the model
// can at worst cause a wrong proposal, which the user sees before the import. Answers are stored with the session, so that
// repeated and concurrent previews of the same file with the same fields give the same result.
import { type ColumnMatch, type ColumnsRequest, Ai } from "../../ports/Ai.ts"
import { trim } from "../../kernel/Text.ts"
import { claimed, type ProposedMapping, type Targets, unmapped } from "./Mapping.ts"
import { type Reason, reasonOf } from "./Reasons.ts"
import type { Steps } from "../../kernel/runtime/Steps.ts"
import { beginning, sanitizeCell } from "../Rows.ts"
import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { encodeText } from "../../kernel/Bytes.ts"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import { Secrets } from "../../kernel/Secrets.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import type { ImportSession, StoredSuggestions } from "../Import.ts"
import { ImportChange } from "../machine.ts"
import { ImportStore } from "../ImportStore.ts"
import type { HeaderAnalysis } from "../Preview.ts"

/** How many columns one request contains: the first ones. */
export const request_columns_max = 200
const header_length_max = 100
const shapes_max = 3
const shape_length_max = 40

export interface SampledColumn {
  readonly header: string
  readonly values: ReadonlyArray<string>
}

export interface SuggestionRequest {
  /** Null when no column is open. */
  readonly request: ColumnsRequest | null
  /** The name of a column in the request, by its header. */
  readonly nameByHeader: ReadonlyMap<string, string>
  /** Why an open column is not in the request, by its header. */
  readonly omissionByHeader: ReadonlyMap<string, Reason>
}

/** The result of the request. `silent`: there is no answer. */
export type SuggestionAnswer =
  | { readonly _tag: "given"; readonly matches: ReadonlyArray<ColumnMatch> }
  | { readonly _tag: "silent"; readonly reason: Reason }

export const noSuggestions: SuggestionAnswer = { _tag: "given", matches: [] }

/** Lower-case letters become `a`, upper-case letters `A`, digits `9`, and other characters beyond ASCII `*`. */
export const shapeOf = (value: string): string =>
  beginning(value.slice(0, 10 * shape_length_max).replace(/\p{M}+/gu, ""), shape_length_max)
    .replace(/[\p{Ll}\p{Lm}\p{Lo}]/gu, "a")
    .replace(/[\p{Lu}\p{Lt}]/gu, "A")
    .replace(/\p{N}/gu, "9")
    .replace(/\s/g, " ")
    .replace(/[^ -~]/gu, "*")

/** The most frequent shapes of a column's values, the most frequent first. */
const shapesOf = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...Map.groupBy(values, shapeOf)]
    .sort(([, left], [, right]) => right.length - left.length)
    .slice(0, shapes_max)
    .map(([shape]) => shape)

/**
 * Whether a header is an email address or a phone number. Then the header is missing and the first line is a contact's row:
 * every row that can be imported has one of the two.
 */
const looksLikeValue = (header: string): boolean => /\S@\S/.test(header) || header.replace(/\D/g, "").length >= 7

/** Requests the open columns, and offers the fields that no column has claimed. */
export function* suggestionRequestOf(
  columns: ReadonlyArray<SampledColumn>,
  proposed: ReadonlyArray<ProposedMapping>,
  targets: Targets,
): Steps<SuggestionRequest> {
  const open = new Set(proposed.flatMap(({ header, standing }) => (standing === "open" ? [header] : [])))
  const taken = new Set(proposed.map(({ targetField }) => targetField))
  const headless = proposed.some(({ header }) => looksLikeValue(header))
  const fields = [...targets.standard, ...targets.custom]
    .filter(({ apiName }) => !taken.has(apiName))
    .map(({ apiName, displayName, valueType }) => ({ apiName, displayName, valueType }))
  const [nameByHeader, omissionByHeader] = [new Map<string, string>(), new Map<string, Reason>()]
  const request = new Map<string, ReadonlyArray<string>>()
  for (const { header, values } of columns.filter((column) => open.has(column.header))) {
    yield
    const name = beginning(sanitizeCell(header), header_length_max)
    const filled = values.map(trim).filter((value) => value !== "")
    if (headless) omissionByHeader.set(header, reasonOf("ai_skipped_values"))
    else if (filled.length === 0) omissionByHeader.set(header, reasonOf("ai_skipped_empty"))
    else if (request.size >= request_columns_max)
      omissionByHeader.set(header, reasonOf("ai_skipped_limit", request_columns_max))
    else if (request.has(name)) omissionByHeader.set(header, reasonOf("ai_skipped_same"))
    else {
      nameByHeader.set(header, name)
      request.set(name, shapesOf(filled))
    }
  }
  const nothing = request.size === 0 || fields.length === 0
  if (nothing) nameByHeader.clear()
  return {
    request: nothing ? null : { columns: Array.from(request, ([header, shapes]) => ({ header, shapes })), fields },
    nameByHeader,
    omissionByHeader,
  }
}

/** The valid part of an answer: for each requested column the first known field that it names. */
export const acceptedMatches = (
  { columns }: ColumnsRequest,
  answer: ReadonlyArray<ColumnMatch>,
  targets: Targets,
): ReadonlyArray<ColumnMatch> => {
  const known = new Set([...targets.standard, ...targets.custom].map(({ apiName }) => apiName))
  const named = new Map<string, string>()
  for (const { header, targetField } of answer) {
    if (known.has(targetField) && !named.has(header)) named.set(header, targetField)
  }
  return columns.flatMap(({ header }) => {
    const targetField = named.get(header)
    return targetField === undefined ? [] : [{ header, targetField }]
  })
}

/** Adds the answer to the proposals. Header matches stay; of two columns for one field, the earlier gets it. */
export const withSuggestions = (
  proposed: ReadonlyArray<ProposedMapping>,
  { nameByHeader, omissionByHeader }: SuggestionRequest,
  answer: SuggestionAnswer,
  targets: Targets,
): ReadonlyArray<ProposedMapping> => {
  const standard = new Set(targets.standard.map(({ apiName }) => apiName))
  const claimedBy = new Map(proposed.map(({ targetField, header }) => [targetField, header]))
  const suggested = new Map(
    answer._tag === "silent" ? [] : answer.matches.map(({ header, targetField }) => [header, targetField]),
  )
  return proposed.map((proposal): ProposedMapping => {
    const { header, standing } = proposal
    if (standing !== "open") return proposal
    const why = omissionByHeader.get(header)
    if (why !== undefined) return unmapped(header, standing, why)
    if (answer._tag === "silent") return unmapped(header, standing, answer.reason)
    const name = nameByHeader.get(header)
    if (name === undefined) return proposal
    const targetField = suggested.get(name)
    if (targetField === undefined) return unmapped(header, standing, reasonOf("ai_without_suggestion"))
    const claimant = claimedBy.get(targetField)
    if (claimant !== undefined) return claimed(header, targetField, claimant)
    claimedBy.set(targetField, header)
    return {
      header,
      targetField,
      targetKind: standard.has(targetField) ? "standard" : "custom",
      reasons: [reasonOf("ai_suggestion")],
      source: "ai",
      overwriteBehavior: "overwrite",
      format: {},
      standing: "mapped",
    }
  })
}

const answer_time_max_s = 10

/** The stored answer to the same request, else a new one. After a failure `silent`, which is not stored. */
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
    const answer = yield* requestMatches(ai, workspace, request)
    if (answer._tag === "silent") return answer
    const matches = acceptedMatches(request, answer.matches, targets)
    return { _tag: "given", matches: yield* transact(storeMatches(workspace, session, { key, matches })) }
  })
})

const requestMatches = (
  ai: Ai["Service"],
  workspace: WorkspaceId,
  request: ColumnsRequest,
): Effect.Effect<SuggestionAnswer> =>
  ai.matchColumns(workspace, request).pipe(
    Effect.map((matches): SuggestionAnswer => ({ _tag: "given", matches })),
    Effect.timeoutOrElse({
      duration: { seconds: answer_time_max_s },
      orElse: () => Effect.succeed(silent(reasonOf("ai_slow", answer_time_max_s))),
    }),
    Effect.catchTag("AiRefused", () => Effect.succeed(silent(reasonOf("ai_unusable")))),
    Effect.catchTag("AiUnavailable", () => Effect.succeed(silent(reasonOf("ai_unreachable")))),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError("the AI failed with a defect while it matched columns", defect),
        silent(reasonOf("ai_broken")),
      ),
    ),
  )

const silent = (reason: Reason): SuggestionAnswer => ({ _tag: "silent", reason })
