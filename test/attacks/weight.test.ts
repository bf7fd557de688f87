// Tests that code for text of strangers needs linear time: each input has its maximum size and the worst characters of its kind.
// Quadratic work would take hours, and is ended after a minute; linear work takes milliseconds. No test compares times.
import { runInNewContext } from "node:vm"
import { Effect, Schema } from "effect"
import { isInTurn } from "@tentpole/core/contract"
import { fieldGroups } from "@tentpole/core/bounces/DeliveryStatus"
import { fold, slugify, trim } from "@tentpole/core/kernel/Text"
import { parseEmail } from "@tentpole/core/kernel/values/EmailAddress"
import { toDomain } from "@tentpole/core/kernel/values/DomainName"
import { parsePhone } from "@tentpole/core/kernel/values/PhoneNumber"
import { headerKey } from "@tentpole/core/imports/mapping/HeaderSynonyms"
import { rejectedRowsFileName } from "@tentpole/core/imports/RejectedRows"
import { distinctNames } from "@tentpole/core/imports/Table"
import { jsonExcess } from "@tentpole/core/kernel/JsonExcess"
import { SenderAddress } from "@tentpole/core/workspaces/Sender"
import { readEmail } from "@tentpole/adapters/ai/EmailPrompt"
import { emailFor, pageFor } from "@tentpole/adapters/ai/fake/FakeAi"
import { asksForPage } from "@tentpole/adapters/ai/fake/Intent"
import { confirmingFields } from "@tentpole/http/tracking/ConfirmingFields"
import { assert, describe, it } from "vitest"

const ended_after_ms = 60_000

/** The result of synchronous work. Ends it by force when it takes too long, which no other timer can. */
const bounded = <Result>(work: () => Result): Result =>
  runInNewContext("work()", { work }, { timeout: ended_after_ms }) as Result

/** The default limit of a body (`JSON_BYTES_MAX`). `npm test` takes a fifth: for quadratic work still a quarter of an hour. */
const body_length = (process.env["SAMPLE"] === undefined ? 5 : 1) * 2 ** 20

/** Fillings that make careless patterns retry: each begins and ends with a character that no end of a text has. */
const filled = (units: ReadonlyArray<string>, length: number): ReadonlyArray<readonly [string, string]> =>
  units.map((unit) => [encodeURIComponent(unit), `a${unit.repeat(Math.floor((length - 2) / unit.length))}b`])

/** `npm test` tries a third of the fillings; the third changes daily. */
const inTurn = <Filling>(fillings: ReadonlyArray<Filling>) => fillings.filter((_, index) => isInTurn(index))

const texts = filled(
  inTurn([" ", "\u3000", "\n", "\r\n", "\t", "+", ".", "-", "@", "a.", "'", '"', ";", " *", "-not-imported"]),
  body_length,
)
/** Shorter, because Unicode's normalization is no JavaScript: nothing can end it. */
const marks = filled(["\u0301\u0316"], 2 ** 19)

const parsers: ReadonlyArray<readonly [name: string, parse: (text: string) => unknown]> = [
  ["trim", trim],
  ["fold", fold],
  ["slugify", slugify],
  ["headerKey", headerKey],
  ["toDomain", toDomain],
  ["parseEmail", parseEmail],
  ["parsePhone", (text) => parsePhone(text, "US")],
  // A line separator ends no line of a mail, and `.` does not match it.
  ["fieldGroups", (text) => fieldGroups(`x:${text.slice(1)}\u2028`, "x")],
  ["rejectedRowsFileName", rejectedRowsFileName],
  ["jsonExcess", (text) => Effect.runSync(jsonExcess(`{"${text}":[${text}`))],
  ["readEmail", (text) => readEmail(`Subject: ${text}\n<!doctype html><p>x</p>`)],
  ["SenderAddress", Schema.decodeUnknownResult(SenderAddress)],
]

describe("text of a whole body", () => {
  for (const [name, parse] of parsers) {
    it.each([...texts, ...marks])(`${name} reads a body filled with %s`, { tags: ["attack/slow-input"] }, (_, text) => {
      bounded(() => parse(text))
      bounded(() => parse(` ${text} `))
    })
  }
})

describe("forms", () => {
  const lines = [
    "content-disposition:form-data;name=",
    "content-disposition: form-data; name=a\r\n\r\n",
    "a:\r\n",
    ";",
    '"',
  ]
  it.each(filled(inTurn([...lines, "a=b&", "%", "+"]), body_length))(
    "an unsubscription reads a body filled with %s",
    { tags: ["attack/slow-input"] },
    (_, body) => {
      for (const type of ["multipart/form-data", "application/x-www-form-urlencoded"]) {
        bounded(() => confirmingFields(type, `content-disposition:form-data;name=${body}`).get("confirm"))
      }
    },
  )
})

describe("tables", () => {
  it("numbers columns with the same name", { tags: ["attack/csv-bomb"] }, () => {
    // A hundred times as many as a file may have, so that quadratic work is noticed.
    const names = bounded(() => distinctNames(Array<string>(200_000).fill(`"${"'".repeat(60)}"`)))
    assert.strictEqual(new Set(names).size, names.length)
  })
})

describe("prompts", () => {
  const words = [
    "page ",
    "page with ",
    "page for\n",
    "site about",
    "form with x ",
    "asks x ",
    "two x ",
    "and a form, ",
    "email ",
    "email to ",
    "that ",
    "inviting our ",
    "with email ",
    "https://.",
    "“",
    '"x',
    "code :",
    "may 5 ",
    "2 ",
    " ",
    "\n",
    " \n",
    "x",
    ".",
    ",",
    "a.",
    '"',
    "1",
    "-",
  ]
  // Longer than a prompt may be, so that quadratic work is noticed.
  it.each(filled(inTurn(words), 2 ** 17))(
    "the fake AI reads a prompt filled with %s",
    { tags: ["attack/slow-input"] },
    (_, text) => {
      for (const prompt of [`page email ${text}`, `create ${text}`]) {
        bounded(() => asksForPage(prompt, { hasTemplate: false }))
        bounded(() => pageFor({ prompt, name: "A page", brand: null, template: null }))
        bounded(() => emailFor({ prompt, name: "An email", brand: null, basis: null }))
      }
    },
  )
})

describe("the limit of work", () => {
  it("ends work that takes too long", () => {
    assert.throws(() => runInNewContext("work()", { work: () => /(a+)+b/.test("a".repeat(50)) }, { timeout: 50 }))
  })
})
