// Tests of all messages in the bytes that the service sends, with independent verifiers and parsers.
import { authenticate, dkimVerify } from "mailauth"
import { createPublicKey } from "node:crypto"
import PostalMime from "postal-mime"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { type Outbox, type SentSample, sendSamples } from "./Outbox.ts"
import { fieldsOf, nameOf, signatureTag, tamperings } from "./Tampering.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

/** RFC 5322 §2.1.1: the maximum and the recommended length of a line. */
const line_length_max = 998
const line_length_wished = 78

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

const value = (raw: Buffer, name: string): string => {
  const field = fieldsOf(raw).find((each) => nameOf(each) === name) ?? ""
  return field
    .slice(name.length + 1)
    .replace(/\r\n(?=[ \t])/g, "")
    .trim()
}

describe("a sent message", () => {
  let outbox: Outbox

  beforeAll(async () => {
    outbox = await sendSamples()
  })
  afterAll(() => outbox.close())

  const each = (check: (sent: SentSample, where: string) => void) => {
    for (const sent of outbox.sent) check(sent, sent.sample.name)
  }

  /** DNS with the records that the service shows, and the address of the mail server that they name. */
  const resolver = async (name: string, type: string) => {
    const shown = outbox.txt.get(name)
    if (type === "TXT" && shown !== undefined) return [[shown]]
    if (type === "A" && name === "pages.example.test") return ["192.0.2.1"]
    throw Object.assign(new Error(`${name} has no ${type}`), { code: "ENOTFOUND" })
  }
  const verdict = async (raw: Buffer): Promise<string> => {
    const { results } = await dkimVerify(raw, { resolver })
    return results.map(({ status }) => status.result).join(" ")
  }

  it("is signed for the domain of From, and passes SPF and DMARC with the records shown", async () => {
    for (const { from, raw, sample } of outbox.sent) {
      const domain = domainOf(sample.wireFrom)
      const helo = "pages.example.test"
      const verdict = await authenticate(raw, { ip: "192.0.2.1", helo, mta: "mx.example.org", sender: from, resolver })
      const [signature] = verdict.dkim.results
      assert.strictEqual(signature?.status.result, "pass", sample.name)
      assert.strictEqual(signature?.signingDomain, domain)
      assert.strictEqual(verdict.spf !== false && verdict.spf.status.result, "pass", sample.name)
      assert.strictEqual(verdict.dmarc !== false && verdict.dmarc.status.result, "pass", sample.name)
      const aligned = verdict.dmarc === false ? undefined : verdict.dmarc.alignment
      assert.deepStrictEqual([aligned?.dkim.result, aligned?.spf.result], [domain, `bounce.${domain}`], sample.name)
    }
  })

  it("is signed with RSA of 2048 bits over the whole body, both unsubscribe headers included", () => {
    for (const [name, record] of outbox.txt) {
      if (!name.includes("._domainkey.")) continue
      const der = Buffer.from(record.replace(/^.*p=/, ""), "base64")
      const key = createPublicKey({ key: der, format: "der", type: "spki" })
      assert.strictEqual(key.asymmetricKeyDetails?.modulusLength, 2048)
    }
    each(({ raw }, where) => {
      assert.strictEqual(signatureTag(raw, "a"), "rsa-sha256", where)
      assert.isUndefined(signatureTag(raw, "l"), where)
      const names = signatureTag(raw, "h")?.split(":") ?? []
      for (const field of fieldsOf(raw).slice(1)) assert.include(names, nameOf(field).toLowerCase(), where)
    })
  })

  it("fails verification after a change of any part", async () => {
    for (const { raw, sample } of outbox.sent.filter(({ raw: { length } }) => length < 100_000)) {
      for (const { what, raw: tampered } of tamperings(raw)) {
        assert.notInclude(await verdict(tampered), "pass", `${sample.name}: ${what}`)
      }
    }
  })

  it("has CRLF and ASCII only, no NUL, and no line above the maximum length", () => {
    each(({ raw, sample }, where) => {
      const text = raw.toString("latin1")
      assert.notMatch(text, /\r(?!\n)|(?<!\r)\n/, where)
      assert.isTrue(text.endsWith("\r\n"), where)
      const international = /[^\0-\x7f]/.test(sample.wireTo)
      const lines = text.split("\r\n")
      const isFine = (line: string) => /^(?!\.)[\t\x20-\x7e]*$/.test(line) || (international && line.startsWith("To: "))
      // A line exceeds the recommended length only if it can't be folded.
      const fits = (line: string) =>
        line.length <= line_length_wished ||
        (line.length <= line_length_max && /^(List-Unsubscribe|Feedback-ID): \S+$/.test(line))
      assert.deepStrictEqual(
        lines.filter((line) => !isFine(line) || !fits(line)),
        [],
        where,
      )
    })
  })

  it("has each expected header once, in order, and no other", () => {
    const first = ["DKIM-Signature", "From", "To", "Reply-To", "Subject", "Date", "Message-ID"]
    const last = ["List-Id", "Feedback-ID", "MIME-Version", "Content-Type"]
    each(({ raw, sample: { kind } }, where) => {
      const unsubscribing = kind === "operational" ? [] : ["List-Unsubscribe", "List-Unsubscribe-Post"]
      assert.deepStrictEqual(fieldsOf(raw).map(nameOf), [...first, ...unsubscribing, ...last], where)
    })
  })

  it("is parsed to the same subject, sender and content", async () => {
    for (const { raw, sample } of outbox.sent) {
      const read = await PostalMime.parse(raw)
      assert.strictEqual(read.subject, sample.readsSubject)
      assert.deepStrictEqual(read.from, { name: sample.from_name, address: sample.wireFrom })
      assert.strictEqual(read.to?.[0]?.address, sample.wireTo)
      assert.strictEqual(read.attachments.length, 0)
      const types = [...raw.toString("latin1").matchAll(/^Content-Type: (text\/\w+); charset=utf-8\r$/gm)]
      assert.deepStrictEqual(
        types.map(([, type]) => type),
        ["text/plain", "text/html"],
        sample.name,
      )
      if (sample.html.includes("<h1>")) {
        const name = sample.contact.first_name.replaceAll("\r\n", "\n")
        assert.include(read.html, `<h1>Hello ${name}</h1>`)
        assert.include(read.text, `Hello ${name}`)
      }
    }
  })

  it("has a Message-ID, a List-ID and its own return path", () => {
    const unique = (values: ReadonlyArray<string>) => assert.strictEqual(new Set(values).size, values.length)
    unique(outbox.sent.map(({ raw }) => value(raw, "Message-ID")))
    unique(outbox.sent.map(({ from }) => from))
    each(({ from, raw, sample }, where) => {
      const domain = domainOf(sample.wireFrom)
      assert.match(value(raw, "Message-ID"), /^<[0-9a-f-]{36}@[a-z0-9.-]+>$/, where)
      assert.isTrue(value(raw, "Message-ID").endsWith(`@${domain}>`), where)
      // RFC 2919 §2: the List-ID is below a domain of the sender.
      assert.match(value(raw, "List-Id"), /^<[0-9a-f-]{36}\.[a-z0-9.-]+>$/, where)
      assert.isTrue(value(raw, "List-Id").endsWith(`.${domain}>`), where)
      assert.match(value(raw, "Feedback-ID"), /^[\w-]+(:[\w-]+){2,3}$/, where)
      assert.match(from, /^b\+[\w-]{60}@/, where)
      assert.strictEqual(domainOf(from), `bounce.${domain}`, where)
    })
  })

  it("unsubscribes by one POST without cookies, and by no other request (RFC 8058)", async () => {
    const unsubscribed = async (email: string): Promise<boolean> => {
      const found = await outbox.service.call("GET", `/v1/contacts?email=${encodeURIComponent(email)}`)
      return found.json.items[0].unsubscribed
    }
    for (const { raw, sample } of outbox.sent.filter(({ sample: { kind } }) => kind !== "operational")) {
      assert.match(value(raw, "List-Unsubscribe"), /^<https:\/\/[^>\s]+>$/, sample.name)
      assert.strictEqual(value(raw, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click")
      // A test message has no subscription.
      if (sample.kind === "test") continue
      const { pathname } = new URL(value(raw, "List-Unsubscribe").slice(1, -1))
      const address = `http://127.0.0.1:${outbox.service.pagesPort}${pathname}`
      assert.strictEqual((await fetch(address)).status, 200, sample.name)
      assert.isFalse(await unsubscribed(sample.contact.email), sample.name)
      const body = new URLSearchParams("List-Unsubscribe=One-Click")
      const { redirected, status } = await fetch(address, { method: "POST", body })
      assert.deepStrictEqual({ redirected, status }, { redirected: false, status: 200 }, sample.name)
      assert.isTrue(await unsubscribed(sample.contact.email), sample.name)
    }
  })
})
