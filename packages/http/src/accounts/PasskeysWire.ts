// Wire schemas of passkeys: options for browsers, their answers, and the passkeys of a user.
import type { SignedIn } from "@tentpole/core/accounts/AccountStore"
import {
  challenge_minutes,
  handleOf,
  type Passkey,
  passkey_name_length_max,
  passkeyAlgorithms,
} from "@tentpole/core/accounts/passkeys/Passkey"
import type { ChallengePurpose, NewChallenge } from "@tentpole/core/accounts/passkeys/Passkeys"
import { PasskeyId } from "@tentpole/core/kernel/Ids"
import { Effect, Schema } from "effect"
import { InstantWire, iso, isoOrNull, oneOf, Text } from "../Wire.ts"
import { LinkFields } from "./LinkWire.ts"

const base64url = (length_max: number, description: string) =>
  Text(length_max, 1)
    .check(Schema.isPattern(/^[\w-]+$/, { message: "must be base64url, without padding" }))
    .annotate({ description, examples: ["c29tZSBieXRlcw"] })

const id = base64url(1_364, "`id` of the browser's credential")
const client_data = base64url(10_000, "`response.clientDataJSON` of the browser's credential")

export const RegistrationWire = Schema.Struct({
  name: Text(passkey_name_length_max, 1).annotate({
    description: "How the user calls the passkey",
    examples: ["Ann's laptop"],
  }),
  id,
  client_data,
  attestation: base64url(50_000, "`response.attestationObject` of the browser's credential"),
  transports: Schema.Array(Text(32, 1).annotate({ examples: ["internal"] }))
    .check(Schema.isMaxLength(10, { message: "must have at most 10 items" }))
    .annotate({ description: "`response.transports` of the browser's credential, in its JSON form" }),
}).annotate({ identifier: "PasskeyRegistration" })

export const AssertionWire = Schema.Struct({
  id,
  client_data,
  authenticator_data: base64url(10_000, "`response.authenticatorData` of the browser's credential"),
  signature: base64url(2_000, "`response.signature` of the browser's credential"),
  user_handle: base64url(100, "`response.userHandle` of the browser's credential"),
}).annotate({ identifier: "PasskeyAssertion" })

export const AskOptions = Schema.Struct({
  purpose: oneOf("register", "sign_in"),
  link: Schema.optionalKey(LinkFields).annotate({
    description:
      "For `register`: the link of a new user, or of one who can't sign in. Without it, the passkey is for the signed-in user",
  }),
}).annotate({ identifier: "AskPasskeyOptions" })

/** What a challenge is for. A new passkey without a link is for the user of the session. */
export const toPurpose = <E, R>(
  asked: typeof AskOptions.Type,
  current: Effect.Effect<SignedIn, E, R>,
): Effect.Effect<ChallengePurpose, E, R> => {
  const { link, purpose } = asked
  if (purpose === "sign_in") return Effect.succeed({ purpose })
  return link === undefined
    ? Effect.map(current, (user) => ({ purpose, current: user }))
    : Effect.succeed({ purpose, link })
}

const common = {
  challenge: Schema.String.annotate({ description: "32 bytes as base64url" }),
  timeout: Schema.Int.annotate({ description: "Milliseconds until the challenge expires" }),
}
const required = Schema.Literal("required")

const CreationOptions = Schema.Struct({
  ...common,
  rp: Schema.Struct({ id: Schema.String, name: Schema.String }),
  user: Schema.Struct({ id: Schema.String, name: Schema.String, displayName: Schema.String }),
  pubKeyCredParams: Schema.Array(Schema.Struct({ type: Schema.Literal("public-key"), alg: Schema.Int })),
  excludeCredentials: Schema.Array(
    Schema.Struct({ id: Schema.String, type: Schema.Literal("public-key"), transports: Schema.Array(Schema.String) }),
  ),
  authenticatorSelection: Schema.Struct({
    residentKey: required,
    requireResidentKey: Schema.Literal(true),
    userVerification: required,
  }),
  attestation: Schema.Literal("none"),
}).annotate({ identifier: "PasskeyCreationOptions" })

const RequestOptions = Schema.Struct({
  ...common,
  rpId: Schema.String,
  userVerification: required,
}).annotate({ identifier: "PasskeyRequestOptions" })

export const OptionsWire = Schema.Union([
  Schema.Struct({
    purpose: Schema.Literal("register"),
    public_key: CreationOptions.annotate({
      description: "For `PublicKeyCredential.parseCreationOptionsFromJSON`, and then `navigator.credentials.create`",
    }),
  }),
  Schema.Struct({
    purpose: Schema.Literal("sign_in"),
    public_key: RequestOptions.annotate({
      description: "For `PublicKeyCredential.parseRequestOptionsFromJSON`, and then `navigator.credentials.get`",
    }),
  }),
]).annotate({ identifier: "PasskeyOptions" })

export const toOptionsWire = ({ challenge, relyingParty: { host }, user }: NewChallenge): typeof OptionsWire.Type => {
  const shared = { challenge, timeout: challenge_minutes * 60_000 }
  if (user === null) return { purpose: "sign_in", public_key: { ...shared, rpId: host, userVerification: "required" } }
  return {
    purpose: "register",
    public_key: {
      ...shared,
      rp: { id: host, name: "Tentpole" },
      user: { id: handleOf(user.id), name: user.email, displayName: user.name },
      pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: user.passkeys.map(({ credentialId, transports }) => ({
        id: credentialId,
        type: "public-key",
        transports,
      })),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      attestation: "none",
    },
  }
}

export const PasskeyWire = Schema.Struct({
  passkey_id: PasskeyId,
  name: Schema.String,
  created_at: InstantWire,
  used_at: Schema.NullOr(InstantWire).annotate({ description: "The last sign-in with it" }),
}).annotate({ identifier: "Passkey" })

export const toPasskeyWire = ({ createdAt, id: passkey_id, name, usedAt }: Passkey): typeof PasskeyWire.Type => ({
  passkey_id,
  name,
  created_at: iso(createdAt),
  used_at: isoOrNull(usedAt),
})

export const PasskeysWire = Schema.Struct({ passkeys: Schema.Array(PasskeyWire) }).annotate({ identifier: "Passkeys" })

export const toPasskeysWire = (passkeys: ReadonlyArray<Passkey>): typeof PasskeysWire.Type => ({
  passkeys: passkeys.map(toPasskeyWire),
})
