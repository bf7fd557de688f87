// Tests of the client of accounts against the console's listener.
import { ApiError, connectAccounts } from "@tentpole/client"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { password, unusedLink } from "../fixtures/ConsoleWorld.ts"

it.live("connectAccounts signs in, reads the sessions, and changes the user", () =>
  Effect.gen(function* () {
    const { console, link } = yield* unusedLink
    const url = `http://localhost:${console}`
    yield* Effect.promise(async () => {
      // Browsers set the origin and keep the cookie.
      let cookie = ""
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const headers = { ...Object.fromEntries(new Headers(init?.headers)), origin: url, cookie }
        const response = await globalThis.fetch(input, { ...init, headers })
        cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie
        return response
      }
      const accounts = connectAccounts({ url, fetch })
      assert.strictEqual((await accounts.signIn.link({ payload: { token: link.token } })).purpose, "first")
      const credentials = { link: { ...link, name: "Ann", email: "ann@example.org" }, password }
      const { user } = await accounts.signIn.create({ payload: credentials })
      assert.deepInclude(user, { name: "Ann", operator: true })
      const { sessions } = await accounts.sessions.list()
      assert.deepStrictEqual(
        sessions.map(({ current }) => current),
        [true],
      )
      assert.strictEqual((await accounts.user.update({ payload: { name: "Ann Lee" } })).user.name, "Ann Lee")
      await accounts.sessions.signOut()
      const refused = await accounts.sessions.current.result()
      assert.strictEqual(!refused.ok && refused.error instanceof ApiError ? refused.error.code : null, "unauthorized")
    })
  }).pipe(Effect.scoped),
)
