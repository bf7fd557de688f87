// Passkeys of this browser: signs in with one, and creates one. The library is loaded when it is needed.
import type { PasskeyAssertion, PasskeyRegistration } from "@tentpole/client/generated/AccountsApi"
import { type NewPasskeyOptions, passkeyOptions } from "../../api/session.ts"
import type { Words } from "../../words/Words.tsx"
import { browserOf } from "../agent.ts"

const library = () => import("@simplewebauthn/browser")

/** Passkeys work on the host that the service names, which may be another name of this machine. */
export const hasPasskeys = (host: string | null): boolean =>
  host === location.hostname && "PublicKeyCredential" in globalThis

/** The person closed the browser's dialog, or has no passkey here. Browsers don't say which. */
export class NoPasskey extends Error {}

/** The device has a passkey of this person already. */
export class KnownPasskey extends Error {}

const asked = async <A>(answer: Promise<A>): Promise<A> => {
  try {
    return await answer
  } catch (error) {
    const { cause, name } = error instanceof Error ? error : new Error(String(error))
    if (name === "InvalidStateError") throw new KnownPasskey("known", { cause })
    throw new NoPasskey("none", { cause })
  }
}

export const signWithPasskey = async (): Promise<PasskeyAssertion> => {
  const [{ startAuthentication }, options] = await Promise.all([library(), passkeyOptions({ purpose: "sign_in" })])
  const { id, response } = await asked(startAuthentication({ optionsJSON: options }))
  return {
    id,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
    user_handle: response.userHandle ?? "",
  }
}

export const createPasskey = async (options: NewPasskeyOptions, name: string): Promise<PasskeyRegistration> => {
  const { startRegistration } = await library()
  // The library's type has lists that can be changed, and names each kind of transport.
  const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]["optionsJSON"]
  const { id, response } = await asked(startRegistration({ optionsJSON }))
  return {
    name,
    id,
    client_data: response.clientDataJSON,
    attestation: response.attestationObject,
    transports: response.transports ?? [],
  }
}

/** A name for a new passkey: the browser and its system. */
export const passkeyName = ({ browserOn, unknownBrowser }: Words["account"]): string => {
  const browser = browserOf(navigator.userAgent)
  return browser === null ? unknownBrowser : browserOn(browser.name, browser.system)
}
