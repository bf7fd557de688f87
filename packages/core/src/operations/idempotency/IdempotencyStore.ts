// The port to idempotency keys: which request runs under a key, and its response.
import { Context, type Effect } from "effect"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"

/** The stored form of a response. */
export interface StoredAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Sealed; null: it was too large, or a stream. */
  readonly sealed: Uint8Array | null
}

/** Identifies a request under its key: SHA-256 of method, path and key, so that neither is stored. */
export type Scope = Uint8Array

/** The process that runs a request. It distinguishes a claim from one that took over. */
export interface Holder {
  readonly holder: string
  /** For how long the claim is valid without renewal. A killed process renews nothing. */
  readonly lease_ms: number
}

export interface NewClaim extends Holder {
  /** SHA-256 of the body; null while it is still being received. */
  readonly bodyHash: Uint8Array | null
  /** When the key expires. Maintenance deletes it. */
  readonly retention_ms: number
}

export type Claim =
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Running"; readonly bodyHash: Uint8Array | null }
  | { readonly _tag: "Answered"; readonly bodyHash: Uint8Array; readonly answer: StoredAnswer }

export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** Claims the key, if no request runs under it and no response is stored. Of several concurrent calls one gets `Claimed`. */
    readonly claim: (workspace: WorkspaceId, scope: Scope, claim: NewClaim) => Effect.Effect<Claim, never, Transaction>
    /** Extends the claim by another lease; false when another request has taken it over. */
    readonly renew: (workspace: WorkspaceId, scope: Scope, holder: Holder) => Effect.Effect<boolean, never, Transaction>
    /** Stores the response; false when another request has taken over the claim: its response stays. */
    readonly answer: (
      workspace: WorkspaceId,
      scope: Scope,
      holder: string,
      answered: { readonly bodyHash: Uint8Array; readonly answer: StoredAnswer },
    ) => Effect.Effect<boolean, never, Transaction>
    /** Frees the key. A claim that another request has taken over stays. */
    readonly release: (workspace: WorkspaceId, scope: Scope, holder: string) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/IdempotencyStore") {}
