// The port to the verification of what devices sign.
import { Context, type Effect } from "effect"
import type { Passkey, PasskeyAssertion, PasskeyRegistration, RelyingParty } from "./Passkey.ts"

/** What the answer of a browser must be about. */
export interface Asked extends RelyingParty {
  readonly challenge: string
}

export class PasskeyVerifier extends Context.Service<
  PasskeyVerifier,
  {
    /** The passkey that a device created, with its user verified. Null if the answer is not valid. */
    readonly readRegistration: (
      registration: PasskeyRegistration,
      asked: Asked,
    ) => Effect.Effect<Pick<Passkey, "credentialId" | "publicKey" | "counter"> | null>
    /** The signatures that the device has counted. Null if the answer is not valid, or the device did not verify its user. */
    readonly verify: (assertion: PasskeyAssertion, asked: Asked, publicKey: Uint8Array) => Effect.Effect<number | null>
  }
>()("tentpole/PasskeyVerifier") {}
