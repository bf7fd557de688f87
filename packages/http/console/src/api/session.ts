// The session of the person at this browser: who it is, in which workspaces, and with which role.
import { connectAccounts } from "@tentpole/client"
import { ApiError } from "@tentpole/client/Failures"
import type {
  AskPasskeyOptions,
  PasskeyOptions,
  Session,
  SignIn,
  SignInLink,
  SignInMethods,
} from "@tentpole/client/generated/AccountsApi"

export type { Session } from "@tentpole/client/generated/AccountsApi"
export type Membership = Session["memberships"][number]
export type Role = Membership["role"]
export type Credentials = SignIn
export type LinkPurpose = SignInLink

/** These calls ask for no sign-in: they are the sign-in. */
const accounts = connectAccounts({ url: location.origin, retries: { attempts_max: 2, wait_max_ms: 2_000 } })

/** Null without a session. */
export const currentSession = async (): Promise<Session | null> => {
  try {
    return await accounts.sessions.current()
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}

export const signIn = (credentials: Credentials): Promise<Session> => accounts.signIn.create({ payload: credentials })

export const signOut = (): Promise<void> => accounts.sessions.signOut()

/** Does not use the link up. Unknown, used and expired links are 404. */
export const purposeOf = (token: string): Promise<LinkPurpose> => accounts.signIn.link({ payload: { token } })

export const signInMethods = (): Promise<SignInMethods> => accounts.signIn.methods()

type OptionsOf<Purpose> = Extract<PasskeyOptions, { readonly purpose: Purpose }>["public_key"]
export type NewPasskeyOptions = OptionsOf<"register">

/** What the browser needs to use a passkey, or to create one. `client`: the one of a signed-in person asks to sign in again. */
export const passkeyOptions = async <Purpose extends PasskeyOptions["purpose"]>(
  asked: Omit<AskPasskeyOptions, "purpose"> & { readonly purpose: Purpose },
  client: Pick<typeof accounts, "signIn"> = accounts,
) => (await client.signIn.passkeyOptions({ payload: asked })).public_key as OptionsOf<Purpose>

const ranks: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, sender: 2, owner: 3 }

/** Each role may do what the roles before it may. */
export const hasRole = (role: Role, needs: Role): boolean => ranks[role] >= ranks[needs]
