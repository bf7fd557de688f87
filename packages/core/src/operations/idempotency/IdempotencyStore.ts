// The port to idempotency keys: whose request runs under a key, and what it answered.
import { Context, type Effect } from "effect"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"

/** What is kept of an answer. */
export interface KeptAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Sealed; null: it was too large, or came in a stream. */
  readonly sealed: Uint8Array | null
}

/** Names a request under its key: SHA-256 of method, path and key, so that neither is kept. */
export type Scope = Uint8Array

/** Who runs a request: a claim that was taken over is told from its successor. */
export interface Holder {
  readonly holder: string
  /** How long the claim holds without being renewed: a process that was killed renews nothing. */
  readonly lease_ms: number
}

export interface NewClaim extends Holder {
  /** SHA-256 of the body; null while it is still coming in. */
  readonly bodyHash: Uint8Array | null
  /** When all of it is forgotten. */
  readonly kept_ms: number
}

export type Claim =
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Running"; readonly bodyHash: Uint8Array | null }
  | { readonly _tag: "Answered"; readonly bodyHash: Uint8Array; readonly answer: KeptAnswer }

export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** Claims the key, if nobody runs under it and nothing was answered; of several at once one is told `Claimed`. */
    readonly claim: (workspace: WorkspaceId, scope: Scope, claim: NewClaim) => Effect.Effect<Claim, never, Transaction>
    /** Holds the claim for another lease; false when it is another's by now. */
    readonly renew: (workspace: WorkspaceId, scope: Scope, holder: Holder) => Effect.Effect<boolean, never, Transaction>
    /** Keeps the answer; false when the claim is another's by now: that one's answer stays. */
    readonly answer: (
      workspace: WorkspaceId,
      scope: Scope,
      holder: string,
      answered: { readonly bodyHash: Uint8Array; readonly answer: KeptAnswer },
    ) => Effect.Effect<boolean, never, Transaction>
    /** Lets the key be used again. A claim that is another's by now stays. */
    readonly release: (workspace: WorkspaceId, scope: Scope, holder: string) => Effect.Effect<void, never, Transaction>
    /** Forgets keys whose time is over, at most `limit` of them; answers how many went. */
    readonly forget: (workspace: WorkspaceId, limit: number) => Effect.Effect<number, never, Transaction>
  }
>()("tentpole/IdempotencyStore") {}
