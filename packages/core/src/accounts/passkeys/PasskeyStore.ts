// The port to passkeys and their challenges.
import { Context, type DateTime, type Effect } from "effect"
import type { PasskeyId, UserId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { PasskeyTaken } from "../AccountErrors.ts"
import type { User } from "../User.ts"
import type { Challenge, Passkey } from "./Passkey.ts"

export class PasskeyStore extends Context.Service<
  PasskeyStore,
  {
    /** Oldest first. */
    readonly passkeys: (user: UserId) => Effect.Effect<ReadonlyArray<Passkey>>
    readonly findPasskey: (
      credentialId: string,
    ) => Effect.Effect<{ readonly passkey: Passkey; readonly user: User }, NotFound>
    /** Adds a passkey, or replaces the one with the same id. Fails if another one has its credential id. */
    readonly putPasskey: (passkey: Passkey) => Effect.Effect<void, PasskeyTaken, Transaction>
    readonly removePasskey: (id: PasskeyId) => Effect.Effect<void, never, Transaction>
    readonly addChallenge: (challenge: Challenge) => Effect.Effect<void, never, Transaction>
    /** Deletes a challenge of this browser that has not expired, and returns it. Of two concurrent calls, one fails. */
    readonly takeChallenge: (
      challenge: string,
      browserHash: Uint8Array,
      at: DateTime.Utc,
    ) => Effect.Effect<Challenge, NotFound, Transaction>
  }
>()("tentpole/PasskeyStore") {}
