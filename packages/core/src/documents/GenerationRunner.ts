// The worker's side of AI generations. The AI answers outside any transaction, so storing checks the state again.
import { DateTime, Effect, Match, Option, Result } from "effect"
import type { AiRefused, AiUnavailable, EmailRequest, WrittenEmail } from "../ports/Ai.ts"
import type { GenerationId, WorkspaceId } from "../kernel/Ids.ts"
import { decideWith, type Parser, Parsers } from "../ports/Parsers.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import { type Transaction, Transactor } from "../kernel/changes/Transactor.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import type { DocumentTypes, IdOf } from "./Document.ts"
import type { Storable } from "./Clean.ts"
import type { DocumentStore } from "./DocumentStore.ts"
import type { DocumentMachine } from "./machine.ts"

/** Timeout of one request to the AI. */
const answer_time_max = "10 minutes"
const unavailable = "The AI provider does not answer at the moment. Nothing was charged: try again in a few minutes"

/** The AI's answer, or a sentence for people that says why there is none. */
export const askAi = <A, R>(
  question: Effect.Effect<A, AiRefused | AiUnavailable, R>,
): Effect.Effect<Result.Result<A, string>, never, R> =>
  Effect.map(Effect.result(Effect.timeoutOption(question, answer_time_max)), (answer) => {
    if (Result.isFailure(answer)) {
      return Result.fail(answer.failure._tag === "AiRefused" ? answer.failure.message : unavailable)
    }
    return Option.isNone(answer.success) ? Result.fail(unavailable) : Result.succeed(answer.success.value)
  })

interface GenerationSteps<Key extends ReadonlyArray<unknown>, Task, Answer> {
  /** The input of `write`; null when the generation is over. */
  readonly begin: (...key: Key) => Effect.Effect<Task | null, NotFound, Transaction>
  /** The answer, or a sentence that says why there is none. */
  readonly write: (task: Task, ...key: Key) => Effect.Effect<Result.Result<Answer, string>, NotFound>
  /** Writes nothing when the generation is over. */
  readonly settle: (outcome: Result.Result<Answer, string>, ...key: Key) => Effect.Effect<void, NotFound, Transaction>
  /** The error of an abandoned generation. */
  readonly abandoned: string
}

/** A deleted document needs no generation: `NotFound` ends both methods without an error. */
export const generationRunner = <Key extends ReadonlyArray<unknown>, Task, Answer>(
  name: string,
  steps: GenerationSteps<Key, Task, Answer>,
) =>
  Effect.map(Transactor, ({ transact }) => ({
    /** Writes and stores. Two workers may run the same generation: the first outcome counts. */
    run: Effect.fn(`${name}.runGeneration`)(
      function* (...key: Key) {
        const task = yield* transact(steps.begin(...key))
        if (task === null) return
        const outcome = yield* steps.write(task, ...key)
        yield* transact(steps.settle(outcome, ...key))
      },
      Effect.catchTag("NotFound", () => Effect.void),
    ),
    /** Fails the generation and returns its credit. */
    abandon: Effect.fn(`${name}.abandonGeneration`)(
      function* (...key: Key) {
        yield* transact(steps.settle(Result.fail(steps.abandoned), ...key))
      },
      Effect.catchTag("NotFound", () => Effect.void),
    ),
  }))

/** The differences between the kinds of documents in a generation. */
export interface GenerationRules<T extends DocumentTypes> {
  readonly machine: DocumentMachine<T>
  readonly store: DocumentStore<T>
  /** HTML as it may be stored. */
  readonly storable: Storable
  readonly ask: (
    workspace: WorkspaceId,
    request: EmailRequest,
  ) => Effect.Effect<WrittenEmail, AiRefused | AiUnavailable>
  /** The AI's HTML without what only people may write. `basis` is the HTML that the AI changed. */
  readonly withoutAuthority?: Parser<{ readonly html: string; readonly basis: string | null }, string>
  /** The AI provider that `ask` uses. */
  readonly provider: string
}

export const documentGenerations = Effect.fnUntraced(function* <T extends DocumentTypes>(
  name: string,
  { machine, store, storable, ask, provider, withoutAuthority }: GenerationRules<T>,
) {
  const workspaces = yield* WorkspaceStore
  const parsers = yield* Parsers

  const toStorable = (answer: WrittenEmail, workspace: WorkspaceId, basis: string | null) =>
    storable(answer.html, workspace).pipe(
      Effect.flatMap((html) =>
        withoutAuthority === undefined
          ? Effect.succeed(html)
          : parsers.run(withoutAuthority, { html, basis }, workspace),
      ),
      Effect.map((html): WrittenEmail => ({ ...answer, html })),
      Effect.mapError((refused) => {
        const why = Match.valueTags(refused, {
          Invalid: ({ issues }) => issues.map(({ message }) => message).join(", "),
          HtmlTooLarge: ({ bytes_max }) => `is larger than ${bytes_max / 2 ** 20} MB`,
          TooComplex: ({ reason }) => reason,
        })
        return `The HTML from the AI can't be stored: it ${why}. Nothing was charged. Try again with another prompt`
      }),
      Effect.result,
    )

  type Key = [workspace: WorkspaceId, id: IdOf<T>, of: GenerationId]
  return yield* generationRunner<Key, string, WrittenEmail>(name, {
    abandoned: "The generation failed repeatedly. Nothing was charged. Try again with another prompt",
    begin: (...key) =>
      Effect.map(store.generation(...key), ({ prompt, status }) => (status === "generating" ? prompt : null)),
    write: Effect.fnUntraced(function* (prompt, workspace, id) {
      const { name: documentName } = yield* store.get(workspace, id)
      const basis = yield* store.basis(workspace, id)
      const { brand } = yield* workspaces.get(workspace)
      const answer = yield* askAi(ask(workspace, { prompt, name: documentName, brand, basis }))
      return Result.isFailure(answer) ? answer : yield* toStorable(answer.success, workspace, basis)
    }),
    settle: Effect.fnUntraced(function* (outcome, workspace, id, of) {
      const locked = yield* store.lock(workspace, id)
      const now = yield* DateTime.now
      const change = yield* decideWith(
        parsers,
        workspace,
      )((parse) =>
        Result.match(outcome, {
          onSuccess: (answer) => machine.complete(locked, of, { ...answer, generatedBy: provider }, now, parse),
          onFailure: (error) => machine.fail(locked, of, error, now),
        }),
      ).pipe(Effect.catchTag("TooComplex", ({ message }) => Effect.succeed(machine.fail(locked, of, message, now))))
      // Neither outcome takes credits.
      if (change !== null) yield* Effect.orDie(store.apply(workspace, change))
    }),
  })
})
