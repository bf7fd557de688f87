import { settingsLayer } from "@tentpole/core/contract"
import { Links } from "@tentpole/core/deliveries/Links"
import { DeliveryId, WorkspaceId } from "@tentpole/core/Ids"
import { Secrets } from "@tentpole/core/Secrets"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { secrets } from "./Stores.ts"

const settings = settingsLayer({
  publicApiUrl: "https://api.example.com",
  publicPagesUrl: "https://pages.example.com",
  pagesHost: "pages.example.com",
  mailHost: "mail.example.com",
  developmentDomains: false,
})

/** Ids as the service writes them: in lower case. */
const lowerCase = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
)
const Ids = { workspace: lowerCase, delivery: lowerCase }
const targetOf = ({ delivery, workspace }: { readonly workspace: string; readonly delivery: string }) => ({
  workspaceId: WorkspaceId.make(workspace),
  deliveryId: DeliveryId.make(delivery),
})

const tokenOf = (url: string) => url.slice(url.lastIndexOf("/") + 1)

layer(Links.layer.pipe(Layer.provide(Layer.merge(secrets, settings))))("links", (it) => {
  it.effect.prop("each link leads back to what it was made for, and to nothing else", Ids, (ids) =>
    Effect.gen(function* () {
      const target = targetOf(ids)
      const links = yield* Links
      const made = links.of(target)
      for (const kind of ["open", "unsubscribe", "view"] as const) {
        assert.isTrue(made[kind].startsWith(`https://pages.example.com/${kind.charAt(0)}/`))
        assert.deepStrictEqual(links.read(kind, tokenOf(made[kind])), Option.some(target))
        for (const other of ["open", "unsubscribe", "view"] as const) {
          if (other !== kind) assert.deepStrictEqual(links.read(other, tokenOf(made[kind])), Option.none())
        }
        assert.deepStrictEqual(links.readClick(tokenOf(made[kind])), Option.none())
      }
      for (const index of [0, 1, 255, 256, 65_535, 65_536, 16_777_215]) {
        assert.deepStrictEqual(links.readClick(tokenOf(made.click(index))), Option.some({ ...target, index }))
      }
    }),
  )

  it.effect.prop("the same message has the same links on every try", Ids, (ids) =>
    Effect.gen(function* () {
      const target = targetOf(ids)
      const links = yield* Links
      assert.deepStrictEqual(links.of(target).open, links.of(target).open)
      assert.deepStrictEqual(links.of(target).click(3), links.of(target).click(3))
      assert.strictEqual(links.of(target).returnPath("x.test"), links.of(target).returnPath("x.test"))
    }),
  )

  it.effect.prop(
    "no single changed character passes",
    {
      ...Ids,
      at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 63 })),
      by: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 63 })),
    },
    ({ at, by, ...ids }) =>
      Effect.gen(function* () {
        const target = targetOf(ids)
        const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        const links = yield* Links
        const token = tokenOf(links.of(target).click(7))
        const place = at % token.length
        const changed = alphabet[(alphabet.indexOf(token.charAt(place)) + by) % 64] ?? ""
        const forged = token.slice(0, place) + changed + token.slice(place + 1)
        assert.deepStrictEqual(links.readClick(forged), Option.none())
      }),
  )

  it.effect.prop("a return path fits into an address and leads back", Ids, (ids) =>
    Effect.gen(function* () {
      const target = targetOf(ids)
      const links = yield* Links
      const address = links.of(target).returnPath("mail.example.com")
      assert.match(address, /^b\+[\w-]+@bounce\.mail\.example\.com$/)
      assert.isAtMost(address.indexOf("@"), 64)
      assert.deepStrictEqual(links.readReturnPath(address), Option.some(target))
      assert.deepStrictEqual(links.readReturnPath(address.replace("b+", "c+")), Option.none())
      assert.deepStrictEqual(links.readReturnPath(address.slice(0, 30)), Option.none())
      assert.deepStrictEqual(links.readReturnPath(`b+${tokenOf(links.of(target).open)}@x.test`), Option.none())
    }),
  )

  it.effect.prop("what was never made here is nothing", { token: Schema.String }, ({ token }) =>
    Effect.gen(function* () {
      const links = yield* Links
      assert.deepStrictEqual(links.read("open", token), Option.none())
      assert.deepStrictEqual(links.readClick(token), Option.none())
      assert.deepStrictEqual(links.readReturnPath(token), Option.none())
    }),
  )

  it.effect.prop("a token is bound to its purpose and its index: one made into another is nothing", Ids, (ids) =>
    Effect.gen(function* () {
      const links = yield* Links
      const made = links.of(targetOf(ids))
      const [open, click] = [
        Buffer.from(tokenOf(made.open), "base64url"),
        Buffer.from(tokenOf(made.click(0)), "base64url"),
      ]
      for (const kind of [1, 2, 3, 4]) {
        const forged = Buffer.from(open).fill(kind, 32, 33).toString("base64url")
        for (const other of ["open", "unsubscribe", "view"] as const) {
          assert.deepStrictEqual(links.read(other, forged), Option.none())
        }
      }
      for (const index of [1, 2, 31, 32, 255]) {
        const forged = Buffer.from(click).fill(index, 35, 36).toString("base64url")
        assert.deepStrictEqual(links.readClick(forged), Option.none())
      }
    }),
  )
})

it.effect("a message's links take one HMAC together, and one more for every 32 links beyond its first 28", () =>
  Effect.gen(function* () {
    const real = yield* Secrets
    let hmacs = 0
    const counting = Secrets.of({
      ...real,
      mac: () => assert.fail("links need no MAC of their own"),
      longMac: (...asked) => {
        hmacs += 1
        return real.longMac(...asked)
      },
    })
    const counted = Links.layer.pipe(Layer.provide(Layer.merge(Layer.succeed(Secrets, counting), settings)))
    const links = yield* Effect.provide(Links, counted)
    const made = links.of(targetOf(ids))
    for (let index = 0; index < 28; index++) made.click(index)
    made.returnPath("mail.example.com")
    assert.strictEqual(hmacs, 1)
    for (let index = 28; index < 60; index++) made.click(index)
    assert.strictEqual(hmacs, 2)
  }).pipe(Effect.provide(secrets)),
)

const ids = { workspace: "0190a0de-0000-4000-8000-000000000001", delivery: "0190a0de-0000-4000-8000-000000000002" }
