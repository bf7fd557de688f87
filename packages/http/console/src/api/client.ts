// The typed client of this workspace, over the session's cookie. A call without a session waits until the person signed in again.
import { connect, connectAccounts, connectAdmin } from "@tentpole/client"
import { isReachable } from "./reachable.ts"

/** Workspace of this page: the first part of its address, `/w/<slug>/…`. Another workspace is another page load. */
export const slug: string = /^\/w\/([^/]+)/.exec(location.pathname)?.[1] ?? ""

/** Headers of each call: they name the workspace, and no form of another site can send them. */
export const headers = slug === "" ? { "x-tentpole-console": "1" } : { "x-tentpole-workspace": slug }

/** Asks the person to sign in; resolves when they did. The shell sets it. */
type AskToSignIn = (reason: "ended" | "again") => Promise<void>
let askToSignIn: AskToSignIn = () => Promise.reject(new Error("There is no session"))
let asking: Promise<void> | null = null

export const onSessionEnd = (ask: AskToSignIn): void => {
  askToSignIn = ask
}

/** One dialog for all calls that wait. */
const signedIn = (reason: "ended" | "again"): Promise<void> => {
  asking ??= askToSignIn(reason).finally(() => {
    asking = null
  })
  return asking
}

const hasCode = async (response: Response, code: string): Promise<boolean> =>
  (await response.clone().text()).includes(`"${code}"`)

/** `fetch` that repeats a call after the person signed in. */
export const sessionFetch: typeof fetch = async (input, init) => {
  try {
    const send = () => fetch(input, { ...init, credentials: "same-origin" })
    const response = await send()
    isReachable(true)
    if (response.status !== 401) return response
    await signedIn((await hasCode(response, "sign_in_again")) ? "again" : "ended")
    return await send()
  } catch (error) {
    if (error instanceof TypeError) isReachable(false)
    throw error
  }
}

const options = {
  url: location.origin,
  headers,
  fetch: sessionFetch,
  // The person sees a failure soon and has a button to try again.
  retries: { attempts_max: 2, wait_max_ms: 2_000 },
}

/** The calls of `/v1`: `api.contacts.list({ query })`. Screens read with `queryOf` and write with `useMutationOf`. */
export const api = connect({ ...options, apiKey: null })

/** The calls of `/admin/v1`, for owners and operators. */
export const admin = connectAdmin({ ...options, adminToken: null })

/** The calls of `/auth/v1` of a signed-in person. */
export const accounts = connectAccounts(options)
