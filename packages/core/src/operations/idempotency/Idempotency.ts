// Idempotency keys: a request with a key is executed once. A repeated request gets the first response again.
import { Context, Effect, Exit, Fiber, Layer, Schedule, Schema } from "effect"
import { encodeText } from "../../kernel/Bytes.ts"
import type { ErrorCode } from "../../kernel/ErrorCode.ts"
import { Ids, type WorkspaceId } from "../../kernel/Ids.ts"
import { logFailure } from "../../kernel/runtime/logFailure.ts"
import { Secrets } from "../../kernel/Secrets.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { type Claim, IdempotencyStore, type StoredAnswer, type Scope } from "./IdempotencyStore.ts"

/** 1 to 255 printable characters. */
export const isIdempotencyKey = (text: string): boolean => /^[\x20-\x7e]{1,255}$/.test(text)

export const retention_hours = 24

/** Larger responses are not stored: a repeated request then fails with `AnswerNotStored`. */
export const answer_bytes_max = 8 * 2 ** 20

/** A claim that is not renewed expires after this: its process was killed. */
const lease_ms = 30_000

/** The same key was used with another body. */
export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {}) {
  readonly code = "idempotency_key_reused" satisfies ErrorCode
  override get message(): string {
    return "This Idempotency-Key was used with another body. Repeat the same request, or use another key for a new one"
  }
}

export class KeyInProgress extends Schema.TaggedError<KeyInProgress>()("KeyInProgress", {}) {
  readonly code = "idempotency_in_progress" satisfies ErrorCode
  override get message(): string {
    return "The first request with this Idempotency-Key is still running. Repeat it in a few seconds"
  }
}

/** The request was executed, but its response was not stored. */
export class AnswerNotStored extends Schema.TaggedError<AnswerNotStored>()("AnswerNotStored", { status: Schema.Int }) {
  readonly code = "conflict" satisfies ErrorCode
  override get message(): string {
    return `The first request with this Idempotency-Key completed with status ${this.status}, but its response was too large to be stored. Read the result instead of sending the request again`
  }
}

export type Unrepeatable = KeyReused | KeyInProgress | AnswerNotStored

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null: it is a stream. */
  readonly body: Uint8Array | null
}

/** SHA-256 of a request's body. */
export type BodyHash =
  | { readonly _tag: "Known"; readonly hash: Uint8Array }
  | {
      /** The work reads the body; its hash is known afterwards. */
      readonly _tag: "Coming"
      readonly read: Effect.Effect<Uint8Array>
      /** Without work: reads the body and discards it. */
      readonly reading: Effect.Effect<Uint8Array>
    }

export interface KeyedRequest {
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body: BodyHash
}

/** The result of the work. `answer` is null when it was refused before it began, or failed: then the key is free again. */
export interface Performed<A> {
  readonly value: A
  readonly answer: Answer | null
}

export type Once<A> =
  | { readonly _tag: "Performed"; readonly value: A }
  | { readonly _tag: "Repeated"; readonly answer: Answer & { readonly body: Uint8Array } }

const same = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, at) => byte === right[at])

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Does the work, or repeats its first response. The work runs to its end even when the caller disconnects, so that its
     * response can be stored for a repeated request.
     */
    readonly once: <A, E, R>(
      workspace: WorkspaceId,
      request: KeyedRequest,
      work: Effect.Effect<Performed<A>, E, R>,
    ) => Effect.Effect<Once<A>, E | Unrepeatable, R>
  }
>()("tentpole/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const { transact } = yield* Transactor
      const ids = yield* Ids
      const secrets = yield* Secrets

      const scopeOf = ({ method, path, key }: KeyedRequest): Scope =>
        secrets.sha256(encodeText(`${method}\n${path}\n${key}`))

      const sealed = ({ status, headers, body }: Answer): Effect.Effect<StoredAnswer> =>
        body === null || body.length > answer_bytes_max
          ? Effect.succeed({ status, headers, sealed: null })
          : Effect.map(secrets.seal("idempotency", body), (bytes) => ({ status, headers, sealed: bytes }))

      const opened = Effect.fnUntraced(function* ({ status, headers, sealed: bytes }: StoredAnswer) {
        if (bytes === null) return yield* new AnswerNotStored({ status })
        // A response sealed under a replaced secret can't be read: it counts as not stored.
        const body = yield* Effect.mapError(secrets.open("idempotency", bytes), () => new AnswerNotStored({ status }))
        return { status, headers, body }
      })

      const repeated = Effect.fnUntraced(function* (
        found: Exclude<Claim, { readonly _tag: "Claimed" }>,
        request: KeyedRequest,
      ) {
        if (found._tag === "Running") {
          const other =
            request.body._tag === "Known" && found.bodyHash !== null && !same(request.body.hash, found.bodyHash)
          return yield* Effect.fail(other ? new KeyReused() : new KeyInProgress())
        }
        const bodyHash = request.body._tag === "Known" ? request.body.hash : yield* request.body.reading
        if (!same(bodyHash, found.bodyHash)) return yield* new KeyReused()
        return { _tag: "Repeated", answer: yield* opened(found.answer) } as const
      })

      /** When the response can't be stored, the key stays until its lease ends. The response is sent anyway: the work is done. */
      const storeAnswer = (
        workspace: WorkspaceId,
        scope: Scope,
        holder: string,
        request: KeyedRequest,
        answer: Answer | null,
      ) =>
        Effect.gen(function* () {
          if (answer === null) return yield* transact(store.release(workspace, scope, holder))
          const bodyHash = request.body._tag === "Known" ? request.body.hash : yield* request.body.read
          const kept = yield* sealed(answer)
          if (yield* transact(store.answer(workspace, scope, holder, { bodyHash, answer: kept }))) return
          yield* Effect.logWarning("a request outlived its idempotency key: it may have been done twice")
        }).pipe(logFailure("the answer to a request with an idempotency key could not be stored"))

      const keepClaimed = (workspace: WorkspaceId, scope: Scope, holder: string) =>
        transact(store.renew(workspace, scope, { holder, lease_ms })).pipe(
          logFailure("an idempotency key could not be renewed", {}, "Warning"),
          Effect.schedule(Schedule.spaced(lease_ms / 3)),
          Effect.interruptible,
        )

      const performed = <A, E, R>(
        workspace: WorkspaceId,
        scope: Scope,
        holder: string,
        request: KeyedRequest,
        work: Effect.Effect<Performed<A>, E, R>,
      ): Effect.Effect<Once<A>, E, R> =>
        Effect.gen(function* () {
          const renewing = yield* Effect.forkChild(keepClaimed(workspace, scope, holder))
          const exit = yield* Effect.exit(work)
          yield* Fiber.interrupt(renewing)
          yield* storeAnswer(workspace, scope, holder, request, Exit.isSuccess(exit) ? exit.value.answer : null)
          const { value } = yield* exit
          return { _tag: "Performed", value } as const
        })

      const once = <A, E, R>(
        workspace: WorkspaceId,
        request: KeyedRequest,
        work: Effect.Effect<Performed<A>, E, R>,
      ): Effect.Effect<Once<A>, E | Unrepeatable, R> =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const scope = scopeOf(request)
            const holder = yield* ids.random
            const retention_ms = retention_hours * 3_600_000
            const bodyHash = request.body._tag === "Known" ? request.body.hash : null
            const claim = { holder, lease_ms, retention_ms, bodyHash }
            const found = yield* transact(store.claim(workspace, scope, claim))
            return found._tag === "Claimed"
              ? yield* performed(workspace, scope, holder, request, work)
              : yield* restore(repeated(found, request))
          }),
        )

      return Idempotency.of({ once })
    }),
  )
}
