import { encodeText } from "@tentpole/core/kernel/Bytes"
import { read_bytes_max, readReturnedMail, type ParsedReport, reportOf } from "@tentpole/core/bounces/ReturnedMail"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("../../../../test/fixtures/reports/", import.meta.url)
const readings: Readonly<Record<string, ParsedReport>> = JSON.parse(
  readFileSync(new URL("readings.json", folder), "utf8"),
)
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".eml"))
  .sort()

/** As it goes over the wire; the files have plain line ends. */
const mailed = (text: string) => encodeText(text.replace(/\r?\n/g, "\r\n"))
const textOf = (file: string) => readFileSync(new URL(file, folder), "utf8")

describe("returned mail", () => {
  it("the corpus is whole", () => {
    assert.deepStrictEqual(files, Object.keys(readings).sort())
    assert.isAtLeast(files.length, 40)
  })

  it.effect.each(files)("%s is read for what it is", (file) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readReturnedMail(mailed(textOf(file))), readings[file])
    }),
  )

  it.effect.each(files)("%s is read the same with the line ends of a careless gateway", (file) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readReturnedMail(encodeText(textOf(file))), readings[file])
    }),
  )

  it("only bounces, complaints and deliveries are written down", () => {
    assert.deepStrictEqual(
      (["autoReply", "underway", "unknown"] as const).map((kind) => reportOf({ kind })),
      [undefined, undefined, undefined],
    )
  })

  it.effect("what comes behind the report may be as long as it likes: it is not read", () =>
    Effect.gen(function* () {
      const [file = ""] = files
      const long = mailed(textOf(file).replace(/--=_b1--\s*$/, "x".repeat(2 * read_bytes_max)))
      assert.deepStrictEqual(yield* readReturnedMail(long), readings[file])
    }),
  )

  const hostile = [
    ["a line without end", "x".repeat(read_bytes_max)],
    ["a header without end", `X-A: ${"a".repeat(read_bytes_max)}`],
    [
      "brackets that are never closed",
      `From: postmaster@x.example\nSubject: failure notice\nContent-Type: text/html\n\n${"<".repeat(read_bytes_max)}`,
    ],
    ["dashes", `From: postmaster@x.example\nSubject: failure notice\n\n${"-".repeat(read_bytes_max)}`],
    [
      "comments that are never closed",
      `Content-Type: message/delivery-status\n\nFinal-Recipient: x\nAction: ${"(".repeat(read_bytes_max)}`,
    ],
    ["fields without end", `Content-Type: message/delivery-status\n\n${"a: b\n".repeat(read_bytes_max / 5)}`],
    ["parts without end", `Content-Type: multipart/mixed; boundary=b\n\n${"--b\n\n".repeat(read_bytes_max / 5)}`],
    ["NULs", "\0".repeat(read_bytes_max)],
  ] as const

  it.effect.each(hostile)("%s does no harm", ([, text]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readReturnedMail(mailed(text)), { kind: "unknown" })
    }),
  )

  it.effect.prop(
    "no bytes at all break it",
    { file: Schema.Literals(files), at: Schema.Int, with: Schema.Uint8Array },
    ({ at, file, with: bytes }) =>
      Effect.gen(function* () {
        const whole = mailed(textOf(file))
        const cut = Math.abs(at) % (whole.length + 1)
        const changed = new Uint8Array(whole.length + bytes.length)
        changed.set(whole.subarray(0, cut))
        changed.set(bytes, cut)
        changed.set(whole.subarray(cut), cut + bytes.length)
        assert.isString((yield* readReturnedMail(changed)).kind)
      }),
  )
})
