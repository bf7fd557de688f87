import { assert, it } from "@effect/vitest"
import {
  alias_length_max,
  aliasFault,
  aliasStem,
  firstFree,
  isAlias,
  nthAlias,
  readTentName,
  reservedAliases,
  root,
  root_in_path,
} from "@tentpole/core/tents/Alias"
import { Result, Schema } from "effect"
import { alias } from "./TentFixture.ts"

/** Text near the rule: its characters in any order and length, and sometimes others. */
const NearAlias = Schema.String.check(Schema.isPattern(/^[a-z0-9A-Z._\- /ä]{0,110}$/))
const Spelled = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9._-]{0,99}$/))
const Uuid = Schema.String.check(Schema.isUUID())

it("Aliases that the documentation shows as valid are valid", () => {
  for (const text of [
    "a",
    "0",
    "spring-sale",
    "n.b_c-d",
    "end-",
    "end.",
    "end_",
    "two--dashes",
    "page.html",
    "api-p",
    "v1x",
    "3f0a1b529c1e4d558a770123456789ab",
    "x".repeat(100),
    "/",
  ]) {
    assert.strictEqual(aliasFault(text), null, text)
  }
})

it("Aliases that the documentation shows as invalid are invalid", () => {
  const spelling = [
    "",
    " ",
    "A",
    "a b",
    "a/b",
    "/a",
    "a/",
    "//",
    "-a",
    "_a",
    ".a",
    ".",
    "..",
    "ä",
    "日本",
    "ａ",
    "a\0",
    "a\n",
  ]
  const more = ["x".repeat(101), "123e4567-e89b-42d3-a456-426614174000", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"]
  for (const text of [...spelling, ...more, ...reservedAliases]) assert.isFalse(isAlias(text), JSON.stringify(text))
})

it.prop(
  "An alias is valid exactly by the documented rule",
  [NearAlias],
  ([text]) => {
    const expected =
      text === "/" ||
      (text.length >= 1 &&
        text.length <= 100 &&
        /^[a-z0-9]/.test(text) &&
        Array.from(text).every((character) => "abcdefghijklmnopqrstuvwxyz0123456789-_.".includes(character)) &&
        !["api", "admin", "submit", "assets", "t", "f", "o", "c", "u", "v", "v1", "www", "static"].includes(text) &&
        !reservedAliases.has(text))
    assert.strictEqual(isAlias(text), expected, text)
  },
  { tags: ["attack/alias-traversal"] },
)

it.prop(
  "An alias is never a UUID of any version",
  [Uuid],
  ([uuid]) => {
    assert.isFalse(isAlias(uuid.toLowerCase()))
    const name = readTentName("identifier", uuid.toUpperCase(), root)
    assert.deepStrictEqual(Result.getOrNull(name), { by: "id", id: uuid.toLowerCase() })
  },
  { tags: ["attack/alias-traversal"] },
)

it.prop(
  "A numbered alias is an alias of its own with the same stem",
  [Spelled, Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 99_999 }))],
  ([text, n]) => {
    if (!isAlias(text)) return
    const nth = nthAlias(text, n)
    assert.isNotNull(nth)
    assert.isTrue(isAlias(nth ?? ""))
    assert.isTrue(nth?.endsWith(`-${n}`))
    assert.isTrue(nth?.startsWith(aliasStem(text)))
    assert.isAtMost(nth?.length ?? 999, alias_length_max)
  },
)

it("The first free alias is found and cut to 100 characters", () => {
  assert.strictEqual(firstFree(alias("a"), new Set()), "a")
  assert.strictEqual(firstFree(alias("a"), new Set(["a", "a-2", "a-4"])), "a-3")
  const long = "y".repeat(100)
  assert.strictEqual(firstFree(alias(long), new Set([long])), `${"y".repeat(98)}-2`)
  assert.strictEqual(firstFree(root, new Set([root])), null)
})

it.prop(
  "The found alias is free, and the first free one from the given number",
  [
    Spelled,
    Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 }))),
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
  ],
  ([text, places, turn]) => {
    if (!isAlias(text)) return
    const taken = new Set(places.map((n) => String(nthAlias(text, n))))
    const found = firstFree(text, taken, turn)
    const order = Array.from({ length: 20 }, (_, index) => nthAlias(text, index + 1))
    const place = order.indexOf(found) + 1
    assert.isAtLeast(place, turn)
    assert.isFalse(taken.has(found ?? ""))
    for (const earlier of order.slice(turn - 1, place - 1)) assert.isTrue(taken.has(earlier ?? ""))
  },
)

it("A tent is named by id, alias or the root's spelling; a reserved word names no tent", () => {
  const read = (text: string, spelled: string = root_in_path) =>
    Result.getOrNull(readTentName("identifier", text, spelled))
  assert.deepStrictEqual(read("__index__"), { by: "alias", alias: root })
  assert.deepStrictEqual(read("/", root), { by: "alias", alias: root })
  assert.deepStrictEqual(read("spring"), { by: "alias", alias: alias("spring") })
  assert.deepStrictEqual(read("admin"), { by: "nothing" })
  assert.deepStrictEqual(read("__index__", root), { by: "nothing" })
  for (const text of ["", "/", "Not-An-Alias", "a b", "x".repeat(101)]) assert.strictEqual(read(text), null, text)
})
