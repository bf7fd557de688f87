// `PasskeyVerifier` by @simplewebauthn/server, which is loaded with the first passkey.
import { passkeyAlgorithms } from "@tentpole/core/accounts/passkeys/Passkey"
import { PasskeyVerifier } from "@tentpole/core/accounts/passkeys/PasskeyVerifier"
import { Effect, Layer } from "effect"

/** A value of a browser that can't be decoded or verified makes the library throw. */
const orNull = <A>(verify: () => Promise<A | null>) =>
  Effect.catchCause(Effect.promise(verify), (cause) =>
    Effect.as(Effect.logDebug("a passkey's answer was refused", cause), null),
  )

const library = () => import("@simplewebauthn/server")

/**
 * The device's data without the statement of its maker. The library would check certificates in the statement, and ask other hosts
 * whether they are revoked. Nothing depends on the maker.
 */
const withoutMaker = async (attestation: string): Promise<string> => {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import("@simplewebauthn/server/helpers")
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestation)).get("authData")
  const none = new Map<string, string | Uint8Array | Map<string, string>>([
    ["fmt", "none"],
    ["attStmt", new Map()],
    ["authData", authData],
  ])
  return isoBase64URL.fromBuffer(isoCBOR.encode(none))
}

export const layer = Layer.succeed(
  PasskeyVerifier,
  PasskeyVerifier.of({
    readRegistration: ({ attestation, clientData, id }, { challenge, host, origin }) =>
      orNull(async () => {
        const { verifyRegistrationResponse } = await library()
        const { registrationInfo, verified } = await verifyRegistrationResponse({
          response: {
            id,
            rawId: id,
            type: "public-key",
            response: { clientDataJSON: clientData, attestationObject: await withoutMaker(attestation) },
            clientExtensionResults: {},
          },
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: host,
          requireUserVerification: true,
          supportedAlgorithmIDs: [...passkeyAlgorithms],
        })
        if (!verified || registrationInfo.credential.id !== id) return null
        const { counter, publicKey } = registrationInfo.credential
        return { credentialId: id, publicKey, counter }
      }),

    verify: ({ authenticatorData, clientData, id, signature, userHandle }, { challenge, host, origin }, publicKey) =>
      orNull(async () => {
        const { verifyAuthenticationResponse } = await library()
        const { authenticationInfo, verified } = await verifyAuthenticationResponse({
          response: {
            id,
            rawId: id,
            type: "public-key",
            response: { clientDataJSON: clientData, authenticatorData, signature, userHandle },
            clientExtensionResults: {},
          },
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: host,
          // The caller compares the counter, after the signature.
          credential: { id, publicKey: Uint8Array.from(publicKey), counter: 0 },
          requireUserVerification: true,
        })
        return verified ? authenticationInfo.newCounter : null
      }),
  }),
)
