// The ways to sign in that this installation has.
import { useQuery } from "@tanstack/react-query"
import { signInMethods } from "../../api/session.ts"
import { hasPasskeys } from "./passkey.ts"

export interface Methods {
  readonly password: boolean
  readonly passkeys: boolean
  /** The host of the identity provider, or null. */
  readonly oidcHost: string | null
}

/** Undefined until they are known. If the call fails, the password is offered. */
export const useMethods = (): Methods | undefined => {
  const { data, isPending } = useQuery({ queryKey: ["methods"], queryFn: signInMethods, staleTime: Infinity })
  if (isPending) return undefined
  return {
    password: data?.password ?? true,
    passkeys: hasPasskeys(data?.passkey_host ?? null),
    oidcHost: data?.oidc_host ?? null,
  }
}
