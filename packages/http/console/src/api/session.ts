// The session of the person at this browser: who it is, in which workspaces, and with which role.
import { ApiError, toFailure } from "@tentpole/client/Failures"

export type Role = "viewer" | "editor" | "sender" | "owner"

export interface Membership {
  readonly workspace_id: string
  readonly slug: string
  readonly name: string
  readonly role: Role
}

export interface Session {
  readonly user: {
    readonly user_id: string
    readonly name: string
    readonly email: string
    readonly operator: boolean
  }
  readonly memberships: ReadonlyArray<Membership>
  readonly expires_at: string
}

/** What a one-time link is for. */
export interface LinkPurpose {
  readonly purpose: "first" | "invitation" | "recovery"
  readonly email: string | null
  readonly workspace: { readonly workspace_id: string; readonly name: string } | null
  readonly role: Role | null
  /** The address has an account already, whose password is asked for. */
  readonly has_account: boolean
}

export type Credentials =
  | { readonly email: string; readonly password: string }
  | {
      readonly link: { readonly token: string; readonly name?: string; readonly email?: string }
      readonly password: string
    }

/** Header that no form of another site can send. Calls of `/v1` name the workspace instead. */
const own = { "x-tentpole-console": "1" }

const ask = async <Value>(method: string, path: string, body?: unknown): Promise<Value> => {
  const response = await fetch(`/auth/v1/${path}`, {
    method,
    credentials: "same-origin",
    headers: body === undefined ? own : { ...own, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw toFailure(response.status, text, Object.fromEntries(response.headers), Date.now())
  // The types above are those of the API's description.
  return (text === "" ? undefined : JSON.parse(text)) as Value
}

/** Null without a session. */
export const currentSession = async (): Promise<Session | null> => {
  try {
    return await ask<Session>("GET", "session")
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}

export const signIn = (credentials: Credentials): Promise<Session> => ask("POST", "sessions", credentials)

export const signOut = (): Promise<void> => ask("DELETE", "session")

/** Does not use the link up. Unknown, used and expired links are 404. */
export const purposeOf = (token: string): Promise<LinkPurpose> => ask("POST", "links", { token })

const ranks: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, sender: 2, owner: 3 }

/** Each role may do what the roles before it may. */
export const hasRole = (role: Role, needs: Role): boolean => ranks[role] >= ranks[needs]
