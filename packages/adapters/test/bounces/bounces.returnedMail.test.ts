import { encodeText } from "@tentpole/core/kernel/Bytes"
import type { ParsedReport } from "@tentpole/core/bounces/DeliveryStatus"
import { read_bytes_max, readReturnedMail as parsed, reportOf } from "@tentpole/core/bounces/ReturnedMail"
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

const readReturnedMail = (bytes: Uint8Array) => Effect.promise(() => parsed(bytes))

/** With the line ends of the wire. The files have plain ones. */
const mailed = (text: string) => encodeText(text.replace(/\r?\n/g, "\r\n"))
const textOf = (file: string) => readFileSync(new URL(file, folder), "utf8")

describe("returned mail", () => {
  it("has a complete corpus", () => {
    assert.deepStrictEqual(files, Object.keys(readings).sort())
    assert.isAtLeast(files.length, 40)
  })

  it.effect.each(files)("%s is parsed with its expected result", (file) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readReturnedMail(mailed(textOf(file))), readings[file])
    }),
  )

  it.effect.each(files)("%s is parsed the same with other line ends", (file) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readReturnedMail(encodeText(textOf(file))), readings[file])
    }),
  )

  it("stores only bounces, complaints and deliveries", () => {
    assert.deepStrictEqual(
      (["autoReply", "underway", "unknown"] as const).map((kind) => reportOf({ kind })),
      [undefined, undefined, undefined],
    )
  })

  it.effect("ignores content of any length after the report", () =>
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

  it.effect.each(hostile)("%s are parsed within the time limit", ([, text]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readReturnedMail(mailed(text)), { kind: "unknown" })
    }),
  )

  it.effect.prop(
    "accepts any bytes without a defect",
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
