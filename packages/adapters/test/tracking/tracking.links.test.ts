import * as SecretsLayer from "@tentpole/adapters/crypto/Secrets"
import { settingsLayer, tagged } from "@tentpole/core/contract"
import { Links } from "@tentpole/core/rendering/Links"
import { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { secrets } from "../fixtures/Stores.ts"

const settings = settingsLayer({
  publicApiUrl: "https://api.example.com",
  publicPagesUrl: "https://pages.example.com",
  pagesHost: "pages.example.com",
  mailHost: "mail.example.com",
  developmentDomains: false,
})

/** Ids in lower case, as the service writes them. */
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
  it.effect.prop("each link decodes to its own target only", Ids, (ids) =>
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
    "rejects a link with one changed character",
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

  it.effect.prop(
    "a return path fits into an address and decodes to its delivery",
    Ids,
    (ids) =>
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
    { tags: ["attack/forged-report"] },
  )

  it.effect.prop(
    "rejects a token of any kind with a flipped bit or another length",
    Ids,
    (ids) =>
      Effect.gen(function* () {
        const links = yield* Links
        const target = targetOf(ids)
        const made = links.of(target)
        const returnPath = made.returnPath("x.test")
        for (const [token, read] of [
          [tokenOf(made.open), (token: string) => links.read("open", token)],
          [tokenOf(made.unsubscribe), (token: string) => links.read("unsubscribe", token)],
          [tokenOf(made.view), (token: string) => links.read("view", token)],
          [tokenOf(made.click(3)), links.readClick],
          [returnPath.slice(2, returnPath.indexOf("@")), (token: string) => links.readReturnPath(`b+${token}@x.test`)],
        ] as const) {
          assert.isTrue(Option.isSome(read(token)))
          const bytes = Buffer.from(token, "base64url")
          for (let bit = 0; bit < bytes.length * 8; bit++) {
            const flipped = Buffer.from(bytes)
            flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
            assert.isTrue(Option.isNone(read(flipped.toString("base64url"))), `bit ${bit}`)
          }
          for (let length = 0; length < token.length; length++)
            assert.isTrue(Option.isNone(read(token.slice(0, length))))
          for (const more of ["A", "=", "==", "AAAA", " ", "/", "\n", "%00"]) {
            assert.isTrue(Option.isNone(read(token + more)), `with ${JSON.stringify(more)} behind it`)
            assert.isTrue(Option.isNone(read(more + token)), `with ${JSON.stringify(more)} before it`)
          }
        }
      }),
    { tags: ["attack/token-forgery"], arbitrary: { runs: 3 } },
  )

  it.effect(
    "a token is short, and its MAC has 120 bits; 96 in a return path, whose local part has 64 characters at most",
    () =>
      Effect.gen(function* () {
        const links = yield* Links
        const made = links.of(targetOf(ids))
        assert.deepStrictEqual(
          [made.open, made.unsubscribe, made.view, made.click(0)].map((url) => tokenOf(url).length),
          [64, 64, 64, 68],
        )
        assert.strictEqual(made.returnPath("x.test").indexOf("@"), 62)
      }),
  )

  it.effect.prop("rejects unknown text", { token: Schema.String }, ({ token }) =>
    Effect.gen(function* () {
      const links = yield* Links
      assert.deepStrictEqual(links.read("open", token), Option.none())
      assert.deepStrictEqual(links.readClick(token), Option.none())
      assert.deepStrictEqual(links.readReturnPath(token), Option.none())
    }),
  )

  it.effect.prop(
    "rejects a token that is changed to another purpose or index",
    Ids,
    (ids) =>
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
    { tags: ["attack/token-reuse"] },
  )
})

const tokenReuseTest = tagged(it.effect, "attack/token-reuse")
tokenReuseTest("links in earlier messages stay valid after the secret changes", () =>
  Effect.gen(function* () {
    const [old, now] = ["the secret of last year, long enough", "the secret of this year, long enough"].map((secret) =>
      Redacted.make(secret),
    )
    const under = (secret: Redacted.Redacted | undefined, previous: Redacted.Redacted | undefined) =>
      Effect.provide(
        Links,
        Links.layer.pipe(
          Layer.provide(
            Layer.merge(SecretsLayer.layer({ secret: secret ?? assert.fail(), previous: previous ?? null }), settings),
          ),
        ),
      )
    const target = targetOf(ids)
    const before = (yield* under(old, undefined)).of(target)
    const [rotated, forgotten] = [yield* under(now, old), yield* under(now, undefined)]
    assert.deepStrictEqual(rotated.read("unsubscribe", tokenOf(before.unsubscribe)), Option.some(target))
    assert.deepStrictEqual(rotated.readClick(tokenOf(before.click(2))), Option.some({ ...target, index: 2 }))
    assert.notStrictEqual(rotated.of(target).open, before.open, "what is new is signed by the new one")
    assert.deepStrictEqual(forgotten.read("unsubscribe", tokenOf(before.unsubscribe)), Option.none())
  }),
)

it.effect("the links of a message need one HMAC, and one more for every 32 links beyond the first 28", () =>
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
