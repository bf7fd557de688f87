// Contract tests of contact listings.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Contact } from "../../src/contacts/Contact.ts"
import { type ContactQuery, contactSorts } from "../../src/contacts/ContactStore.ts"
import type { ContactId } from "../../src/kernel/Ids.ts"
import { byCodePoint, fold } from "../../src/kernel/Text.ts"
import { at, begin, email, everything, idsOf, type Ports } from "./contactWorld.ts"

export const listing = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ContactStore listings (${name})`, (it) => {
    const words = [
      "b",
      "B",
      "a",
      "Ä",
      "A\u0308",
      "z",
      "ﬁ",
      "😀",
      "ΟΔΟΣ",
      "οδος",
      "_",
      "10",
      "9",
      " a",
      "é",
      "ß",
      "\uffee",
    ]

    const crowd = Effect.gen(function* () {
      const its = yield* begin
      for (const [n, word] of [...words, null, null].entries()) {
        const text = word === null ? {} : { displayName: word, firstName: word, lastName: word, originalSource: word }
        const known =
          n % 4 === 3 ? { phone: `+1415200${1000 + n}` } : { email: email(`${["Zed", "ann"][n % 2]}${n}@x.test`) }
        yield* its.add({ ...known, ...text }, at(1_000 + (n % 5)))
      }
      return its
    })

    it.effect("sorts by folded code points or by time in both directions, null last and ties by id", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* crowd
        for (const sort of contactSorts) {
          for (const order of ["asc", "desc"] as const) {
            const { items, total } = yield* store.list(workspace, { ...everything, sort, order })
            assert.deepStrictEqual([items.length, total], [words.length + 2, words.length + 2])
            for (const [n, contact] of items.entries()) {
              const next = items[n + 1]
              if (next !== undefined) assert.isBelow(inOrder(sort, order, contact, next), 0, `${sort} ${order} at ${n}`)
            }
          }
        }
      }),
    )

    it.effect("returns the whole in small pages, and an empty page past the end", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* crowd
        for (const sort of ["first_name", "created_at", "last_activity_at"] as const) {
          const whole = yield* store.list(workspace, { ...everything, sort })
          const parts: Array<ContactId> = []
          for (let page = 1; page <= 5; page++) {
            parts.push(...idsOf((yield* store.list(workspace, { ...everything, sort, limit: 4, page })).items))
          }
          assert.deepStrictEqual(parts, idsOf(whole.items))
          const beyond = yield* store.list(workspace, { ...everything, sort, limit: 4, page: 6 })
          assert.deepStrictEqual(beyond, { items: [], total: words.length + 2 })
        }
      }),
    )

    it.effect("finds a literal part of a name, the email, the phone or the company in any spelling", () =>
      Effect.gen(function* () {
        const { store, workspace, add } = yield* begin
        const one = yield* add({
          email: email("An.Na@Bücher.example"),
          phone: "+14152000001",
          displayName: "xDisp%_'\\y",
          firstName: "Zoe\u0308",
          lastName: "ΟΔΟΣ",
          company: "Ac[m]e*",
          city: "Bern",
        })
        yield* add({ email: email("other@x.test"), displayName: "xDispz" })
        const found = (search: string) =>
          Effect.map(store.list(workspace, { ...everything, search }), ({ items }) => idsOf(items))
        const pieces = ["disp%_'\\", "zoë", "ZOË", "οδος", "δοσ", "c[M]E*", "n.na@BÜCHER", "152000001"]
        for (const search of pieces) assert.deepStrictEqual(yield* found(search), [one.id], search)
        for (const search of ["zoe", "bern", "disp_", "xn--", "'; --"]) assert.deepStrictEqual(yield* found(search), [])
        assert.strictEqual((yield* found("%")).length, 1)
      }),
    )

    it.effect("leaves out of updated_after what changed in that millisecond, also in the total", () =>
      Effect.gen(function* () {
        const { store, workspace, add, set } = yield* begin
        const old = yield* add({ email: email("old@x.test") }, at(1_000))
        const young = yield* set(yield* add({ email: email("young@x.test") }, at(1_000)), { city: "B" }, at(2_001))
        const since = (ms: number) =>
          Effect.map(store.list(workspace, { ...everything, updatedAfter: at(ms) }), ({ items, total }) => [
            total,
            ...idsOf(items),
          ])
        assert.deepStrictEqual(yield* since(2_000), [1, young.id])
        assert.deepStrictEqual(yield* since(2_001), [0])
        assert.deepStrictEqual((yield* since(999)).slice(1).sort(), [old.id, young.id].sort())
      }),
    )
  })

const inOrder = (sort: ContactQuery["sort"], order: "asc" | "desc", left: Contact, right: Contact): number => {
  const keys = {
    created_at: "createdAt",
    updated_at: "updatedAt",
    last_activity_at: "lastActivityAt",
    display_name: "displayName",
    first_name: "firstName",
    last_name: "lastName",
    normalized_email: "emailNormalized",
    original_source: "originalSource",
  } as const
  const [a, b] = [left[keys[sort]], right[keys[sort]]]
  const byId = left.id < right.id ? -1 : 1
  if (a === null || b === null) return a === b ? byId : a === null ? 1 : -1
  const compared =
    typeof a === "string" || typeof b === "string"
      ? byCodePoint(fold(String(a)), fold(String(b)))
      : a.epochMilliseconds - b.epochMilliseconds
  return (order === "asc" ? compared : -compared) || byId
}
