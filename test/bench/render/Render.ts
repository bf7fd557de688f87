// The benchmark `render`: how fast an approved email becomes messages that are ready for the wire, beside a renderer that parses
// the HTML for every recipient.
import * as DkimSignerLayer from "@tentpole/adapters/crypto/DkimSigner"
import * as SecretsLayer from "@tentpole/adapters/crypto/Secrets"
import { atOnce, settingsLayer } from "@tentpole/core/contract"
import { Links } from "@tentpole/core/rendering/Links"
import { unsigned } from "@tentpole/core/sending/OutgoingMail"
import { compile } from "@tentpole/core/rendering/Compile"
import { dkimSigned, toBytes } from "@tentpole/core/rendering/message/Dkim"
import type { RenderedMessage } from "@tentpole/core/rendering/message/Message"
import { MessageMemory } from "@tentpole/core/rendering/message/MessageMemory"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { createHmac, createSecretKey, hash } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import PostalMime from "postal-mime"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { comparison, rateAtLeast, ratioAtLeast } from "../Report.ts"
import { rateSpreadOf } from "../Timing.ts"
import { renderByHand } from "./ByHand.ts"
import { domain, letter, people, type Person, sender } from "./Letter.ts"

const secret = "a secret of a benchmark, long enough"
const secrets = SecretsLayer.layer({ secret: Redacted.make(secret), previous: null })
const settings = settingsLayer({ publicPagesUrl: "https://pages.harbour.example" })
const date = DateTime.makeUnsafe(Date.UTC(2026, 10, 21, 11, 13, 9))

const rate_min = 20_000
const ratio_min = 10

/** Makes a message of a blast, without database, signature and wire. */
const rendererOf = (links: Links["Service"]) => {
  const prepared = {
    compiled: compile(letter, sender, { operational: false, tracked: true, addresses: links.addresses }),
    domain,
  }
  return (person: Person, memory: MessageMemory) => {
    const { envelope, message } = atOnce(
      unsigned(
        prepared,
        { ...person, list: "blast", campaign: "blast:approval", single: null },
        { links, date, memory },
      ),
    )
    return { envelope, message, bytes: toBytes(message) }
  }
}

/** Connections that a sender has by default, each with a message. */
const under_way_max = 20

/** As a sender does: with so many messages under way, the memory of the oldest one is reused. */
const mailing = (ours: ReturnType<typeof rendererOf>) => {
  const memory = new MessageMemory()
  const underWay: Array<RenderedMessage> = []
  return (person: Person): number => {
    const { bytes, message } = ours(person, memory)
    const sent = underWay.length < under_way_max ? undefined : underWay.shift()
    if (sent !== undefined) memory.release(sent.body)
    underWay.push(message)
    return bytes.length
  }
}

/** Fails unless both made the same letter. */
const agree = async (one: Uint8Array, other: Uint8Array): Promise<void> => {
  const [ours, theirs] = await Promise.all([PostalMime.parse(one), PostalMime.parse(other)])
  const unescaped = (html: string) => html.replaceAll("&quot;", '"').replaceAll("&#39;", "'")
  const readable = (html = "") => unescaped(html.replace(/<div.*$/s, "").replace(/(?:<[^>]*>|\s)+/g, " "))
  const links = (html = "") => html.match(/<a [^>]*href="https:\/\/pages\.harbour\.example\/c\/[^"]+"/g)?.length
  if (ours.subject !== theirs.subject || readable(ours.html) !== readable(theirs.html)) {
    throw new Error("the renderer by hand does not write the same letter: the comparison would say nothing")
  }
  if (links(ours.html) !== 10 || links(theirs.html) !== 10) throw new Error("both should have ten links, signed")
}

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

/** Processor time of all threads of this process during the work, garbage collection included. */
const processor_ms = async (work: () => Promise<void>): Promise<number> => {
  const used = process.cpuUsage()
  await work()
  const { system, user } = process.cpuUsage(used)
  return (system + user) / 1000
}

const compared = async ({ quick, report }: Bench, ours: ReturnType<typeof rendererOf>) => {
  const byHand = renderByHand(secret)
  const mail = mailing(ours)
  const everyone = people(2000)
  const some = everyone.slice(0, 60)
  const rates = { ours: Array.of<number>(), byHand: Array.of<number>() }
  let bytes = 0
  const rounds = quick ? 2 : 9
  for (let round = -2; round < rounds; round++) {
    collectGarbage()
    const theirs_ms = await processor_ms(async () => {
      for (const person of some) bytes += (await byHand(person)).length
    })
    // Garbage of the reference is not ours. A forced collection drops some optimized code, so some messages are made before
    // the count begins.
    collectGarbage()
    for (const person of everyone) bytes += mail(person)
    const ours_ms = await processor_ms(async () => {
      for (const person of everyone) bytes += mail(person)
      for (const person of everyone) bytes += mail(person)
    })
    if (round < 0) continue
    rates.byHand.push((some.length / theirs_ms) * 1000)
    rates.ours.push(((2 * everyone.length) / ours_ms) * 1000)
  }
  report.say(`${Math.round(bytes / 2 ** 20)} MB of mail were written`)
  return { ours: rateSpreadOf(rates.ours), reference: rateSpreadOf(rates.byHand) }
}

/** The least that any renderer needs on this machine, so that figures of two machines can be compared. */
const floors = async (size_bytes: number): Promise<string> => {
  const message = new Uint8Array(size_bytes).fill(7)
  const used = new Uint8Array(size_bytes)
  const key = createSecretKey(Buffer.alloc(32))
  const named = new Uint8Array(35)
  const each_us = async (work: () => unknown): Promise<string> => {
    const count = 10_000
    for (let each = 0; each < count; each++) work()
    const used_ms = await processor_ms(async () => {
      for (let each = 0; each < count; each++) work()
    })
    return `${((used_ms * 1000) / count).toFixed(1)} µs`
  }
  const fresh = await each_us(() => new Uint8Array(size_bytes).set(message))
  const again = await each_us(() => used.set(message))
  const hmac = await each_us(() => createHmac("sha256", key).update(named).digest("base64url"))
  const hashed = await each_us(() => hash("sha256", message, "base64"))
  return `floors of this machine meanwhile: a bare copy of such a message into fresh memory ${fresh}, into used memory ${again}; an HMAC ${hmac}; for comparison, its SHA-256 ${hashed}`
}

/** The cost of a signature, which the thread pool computes. */
const signing = async (ours: ReturnType<typeof rendererOf>, count: number): Promise<string> => {
  const program = Effect.gen(function* () {
    const { privateKeyPem } = yield* (yield* Secrets).rsaKeyPair
    const key = { domain, selector: "bench", privateKeyPem }
    const messages = people(count).map((person) => ours(person, new MessageMemory()).message)
    yield* Effect.forEach(messages, (message) => dkimSigned(message, key), { concurrency: 32, discard: true })
    const [began, used] = [performance.now(), process.cpuUsage()]
    yield* Effect.forEach(messages, (message) => dkimSigned(message, key), { concurrency: 32, discard: true })
    const elapsed_ms = performance.now() - began
    const { system, user } = process.cpuUsage(used)
    return { elapsed_ms, processor_us: user + system }
  })
  const { elapsed_ms, processor_us } = await Effect.runPromise(
    Effect.provide(program, Layer.merge(DkimSignerLayer.layer, secrets)),
  )
  return `DKIM besides (RSA 2048, no part of the bar): ${Math.round(processor_us / count)} µs of processor a message, on the thread pool for the most part; ${Math.round((count / elapsed_ms) * 1000)} signatures/s, 32 under way`
}

export const rendering: Benchmark = async (bench) => {
  const links = await Effect.runPromise(
    Effect.provide(Links, Layer.provide(Links.layer, Layer.merge(secrets, settings))),
  )
  const ours = rendererOf(links)
  const [first] = people(1)
  if (first === undefined) throw new Error("there are no recipients")
  const { bytes } = ours(first, new MessageMemory())
  await agree(bytes, await renderByHand(secret)(first))
  bench.report.fact(
    "email",
    `HTML of ${letter.html.length} characters and text of ${letter.text.length}, ten tokens each, ten links; ${bytes.length} bytes on the wire, with both parts, footer, pixel and headers`,
  )
  const seen = await compared(bench, ours)
  const row = comparison("messages, by the time of one core", "/s", seen, (ratio) => [
    rateAtLeast(rate_min, seen.ours.median),
    ratioAtLeast(ratio_min, ratio),
  ])
  bench.report.section(
    "An approved email as messages ready for the wire, beside parsing and composing for each recipient",
    [row],
    [await floors(bytes.length), await signing(ours, bench.quick ? 200 : 1000)],
  )
}
