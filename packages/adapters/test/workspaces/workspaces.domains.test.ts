// Sending domains with real DNS look-ups: the use case over node's resolver and a scripted name server.
import * as Dns from "@tentpole/adapters/dns/Dns"
import type { AuditLog } from "@tentpole/core/kernel/changes/AuditLog"
import { settingsLayer } from "@tentpole/core/contract"
import { DnsResolver } from "@tentpole/core/ports/DnsResolver"
import type { Ids, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Secrets } from "@tentpole/core/kernel/Secrets"
import type { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { type CheckedDomain, Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Result } from "effect"
import { type DnsData, nameServer, type Reply, type Zone } from "../fixtures/NameServer.ts"
import { memory, postgres } from "../fixtures/Stores.ts"

const settings = settingsLayer({ mailHost: "mail.example.org", developmentDomains: false })

type Needed = AuditLog | WorkspaceStore | Transactor | Ids | Secrets

const usingDns = <E>(dns: Layer.Layer<DnsResolver>, stores: Layer.Layer<Needed, E>) =>
  Workspaces.layer.pipe(Layer.provide(Layer.mergeAll(dns, settings)), Layer.provideMerge(stores))

/** Long enough for a busy machine. A server that does not answer, or answers another question, runs into the timeout. */
const patience_ms = 60_000
const impatience_ms = 1_000

const servedBy = (port: number, timeout_ms: number) =>
  Dns.layer({ servers: [`127.0.0.1:${port}`], timeout_ms, tries: 1 })

/** A TXT record as name servers store long ones: in strings of at most 255 bytes. */
const text = (value: string): DnsData => ({ type: "TXT", strings: value.match(/.{1,255}/g) ?? [""] })

/** The zone with the records that the service requires. */
const asShown = ({ records }: CheckedDomain): Zone =>
  new Map(
    records.map((record): [string, Reply] => [
      `${record.name} ${record.type}`,
      [record.type === "MX" ? { type: "MX", preference: 10, exchange: record.value } : text(record.value)],
    ]),
  )

const begin = Effect.gen(function* () {
  const zone: Zone = new Map()
  const port = yield* nameServer(zone)
  const context = yield* Layer.build(usingDns(servedBy(port, patience_ms), memory))
  const workspaces = Context.get(context, Workspaces)
  const hurried = yield* Layer.build(usingDns(servedBy(port, impatience_ms), Layer.succeedContext(context)))
  const store = Context.get(context, WorkspaceStore)
  const { id: workspace } = yield* workspaces.create({ name: "Acme" })
  const added = yield* workspaces.addDomain(workspace, "Example.com")
  const set = (changes: Zone) => {
    zone.clear()
    for (const [name, reply] of [...asShown(added), ...changes]) zone.set(name, reply)
  }
  set(new Map())
  const verifiedBy = (by: typeof workspaces) => Effect.result(by.verifyDomain(workspace, added.domain.id))
  const verify = verifiedBy(workspaces)
  const hurriedly = verifiedBy(Context.get(hurried, Workspaces))
  const status = Effect.map(store.domains(workspace), ([domain]) => domain?.status)
  return { zone, set, verify, hurriedly, status, added, workspace, workspaces, store }
})

const verifiedIn = ({ records }: CheckedDomain) =>
  Object.fromEntries(records.map(({ purpose, verified }) => [purpose, verified]))

const all = { dkim: true, spf: true, return_path: true, dmarc: true }
const none = { dkim: false, spf: false, return_path: false, dmarc: false }

/** Wrong DNS answers, and the resulting problem of the domain. `null`: unknown. */
const answers: ReadonlyArray<
  readonly [what: string, zone: (shown: Zone, key: string) => Zone, found: Partial<typeof all> | null]
> = [
  ["every record", () => new Map(), {}],
  ["no record at all", (shown) => new Map([...shown.keys()].map((key) => [key, []])), none],
  ["the key in many short strings", (shown, key) => new Map([[key, inStrings(shown, key, 40)]]), {}],
  ["the key at the end of a CNAME", (shown, key) => new Map([[key, behindCname(shown, key)]]), {}],
  ["a CNAME that ends nowhere", (_, key) => new Map([[key, [cname("gone.example.net")]]]), { dkim: false }],
  ["CNAMEs in a circle", (_, key) => new Map([[key, circle(key)]]), { dkim: false }],
  ["another key", (_, key) => new Map([[key, [text("v=DKIM1; k=rsa; p=MIIBIjANBgkq")]]]), { dkim: false }],
  ["a key that was revoked", (_, key) => new Map([[key, [text("v=DKIM1; k=rsa; p=")]]]), { dkim: false }],
  ["two keys", (shown, key) => new Map([[key, [...recordsOf(shown, key), text("v=DKIM1; p=AAAA")]]]), { dkim: false }],
  ["the key for SHA-1 alone", (shown, key) => new Map([[key, tagged(shown, key, "h=sha1")]]), { dkim: false }],
  ["the key for another service", (shown, key) => new Map([[key, tagged(shown, key, "s=tlsrpt")]]), { dkim: false }],
  ["a test key", (shown, key) => new Map([[key, tagged(shown, key, "t=y:s; h=sha1:sha256; s=email")]]), {}],
  ["the key beside other texts", (shown, key) => new Map([[key, [text("a-site=1"), ...recordsOf(shown, key)]]]), {}],
  ["the key in 60 kB of texts", (shown, key) => new Map([[key, [...recordsOf(shown, key), ...chatter(190)]]]), {}],
  [
    "more texts than a reply holds",
    (shown, key) => new Map([[key, [...recordsOf(shown, key), ...chatter(4000)]]]),
    null,
  ],
  ["an SPF record with include", () => spf("v=spf1 include:_spf.example.net ~all"), {}],
  ["an SPF record with addresses", () => spf("v=spf1 ip4:192.0.2.0/24 -all"), {}],
  ["an SPF record that allows no sender", () => spf("v=spf1 -all"), { spf: false }],
  ["two SPF records", () => spf("v=spf1 a:mail.example.org ~all", "v=spf1 mx -all"), { spf: false }],
  ["another MX", () => new Map([["bounce.example.com MX", [mx("other.example.org")]]]), { return_path: false }],
  ["two MX, one ours", () => new Map([[bounce("MX"), [mx("other.example.org"), mx("Mail.Example.org")]]]), {}],
  ["a stricter DMARC policy", () => dmarc("v=DMARC1; p=reject; rua=mailto:d@example.com"), {}],
  ["a DMARC record without policy", () => dmarc("v=DMARC1; rua=mailto:d@example.com"), { dmarc: false }],
  ["two DMARC records", () => dmarc("v=DMARC1; p=none", "v=DMARC1; p=reject"), { dmarc: false }],
  ["SERVFAIL for the key", (_, key) => new Map([[key, "SERVFAIL"]]), null],
  ["a refusal for the key", (_, key) => new Map([[key, "REFUSED"]]), null],
  ["silence for the key", (_, key) => new Map([[key, "silence"]]), null],
  ["garbage for the key", (_, key) => new Map([[key, "garbage"]]), null],
  ["answers to other questions", (_, key) => new Map([[key, "wrong id"]]), null],
  ["SERVFAIL for all but the key", (shown, key) => failing(shown, key), { ...none, dkim: true }],
]

const recordsOf = (zone: Zone, key: string): ReadonlyArray<DnsData & { readonly name?: string }> => {
  const reply = zone.get(key)
  return typeof reply === "object" ? reply : []
}

const valueOf = (zone: Zone, key: string): string =>
  recordsOf(zone, key)
    .flatMap((record) => (record.type === "TXT" ? record.strings : []))
    .join("")

const inStrings = (zone: Zone, key: string, length: number): Reply => [
  { type: "TXT", strings: valueOf(zone, key).match(new RegExp(`.{1,${length}}`, "g")) ?? [] },
]
const cname = (target: string): DnsData => ({ type: "CNAME", target })
const mx = (exchange: string): DnsData => ({ type: "MX", preference: 10, exchange })
const behindCname = (zone: Zone, key: string): Reply => [
  cname("key.example.net"),
  ...recordsOf(zone, key).map((record) => ({ ...record, name: "key.example.net" })),
]
const circle = (key: string): Reply => [
  cname("round.example.net"),
  { ...cname(key.split(" ")[0] ?? ""), name: "round.example.net" },
]
const tagged = (zone: Zone, key: string, tags: string): Reply => [
  text(valueOf(zone, key).replace("v=DKIM1;", `v=DKIM1; ${tags};`)),
]
const chatter = (length: number) => Array.from({ length }, (_, at) => text(`${at} ${"x".repeat(240)}`))
const bounce = (type: string) => `bounce.example.com ${type}`
const spf = (...records: ReadonlyArray<string>): Zone => new Map([[bounce("TXT"), records.map(text)]])
const dmarc = (...records: ReadonlyArray<string>): Zone => new Map([["_dmarc.example.com TXT", records.map(text)]])
const failing = (shown: Zone, key: string): Zone =>
  new Map([...shown.keys()].filter((each) => each !== key).map((each) => [each, "SERVFAIL"]))

const isNoAnswer = (what: string) => /^(silence|garbage|answers to other)/.test(what)

describe("verifying a domain", () => {
  it.live.each(answers)("with %s", ([what, zone, found]) =>
    Effect.gen(function* () {
      const { added, hurriedly, set, status, verify } = yield* begin
      const key = `${added.records[0]?.name} TXT`
      const changes = zone(asShown(added), key)
      const proven = found !== null && (found.dkim ?? true)

      set(changes)
      const asked = isNoAnswer(what) ? hurriedly : verify
      const first = yield* asked
      assert.strictEqual(yield* status, found === null ? "pending" : proven ? "verified" : "failed")
      if (found === null) {
        assert.strictEqual(
          Result.isFailure(first) && first.failure.message,
          "The DNS of example.com does not answer at the moment. Try again in a few seconds",
        )
      } else {
        const checked = Result.getOrThrow(first)
        assert.deepStrictEqual(verifiedIn(checked), { ...all, ...found })
        assert.strictEqual(checked.domain.verifiedAt === null, !proven)
      }

      set(new Map())
      assert.strictEqual(Result.getOrThrow(yield* verify).domain.status, "verified")
      set(changes)
      yield* asked
      assert.strictEqual(yield* status, found === null || proven ? "verified" : "failed", "a verified domain")
    }).pipe(Effect.scoped),
  )

  it.live("the check shows the records in DNS, and null where no name server answered", () =>
    Effect.gen(function* () {
      const { added, set, verify } = yield* begin
      set(
        new Map<string, Reply>([
          ["bounce.example.com MX", [{ type: "MX", preference: 10, exchange: "other.example.net" }]],
          ["bounce.example.com TXT", []],
          ["_dmarc.example.com TXT", "SERVFAIL"],
        ]),
      )
      const { records } = Result.getOrThrow(yield* verify)
      assert.deepStrictEqual(Object.fromEntries(records.map(({ answers: found, purpose }) => [purpose, found])), {
        dkim: added.records.slice(0, 1).map(({ value }) => value),
        spf: [],
        return_path: ["other.example.net"],
        dmarc: null,
      })
    }).pipe(Effect.scoped),
  )

  it.live("the DMARC policy of the organisational domain applies to its subdomains", () =>
    Effect.gen(function* () {
      const { workspace, workspaces, zone } = yield* begin
      const { domain } = yield* workspaces.addDomain(workspace, "news.example.com")
      assert.isTrue(verifiedIn(yield* workspaces.getDomain(workspace, domain.id))["dmarc"])
      zone.delete("_dmarc.example.com TXT")
      assert.isFalse(verifiedIn(yield* workspaces.getDomain(workspace, domain.id))["dmarc"])
    }).pipe(Effect.scoped),
  )

  it.live("a domain stays verified after its first verification", () =>
    Effect.gen(function* () {
      const { verify } = yield* begin
      const first = Result.getOrThrow(yield* verify)
      yield* Effect.sleep(5)
      assert.deepStrictEqual(Result.getOrThrow(yield* verify).domain.verifiedAt, first.domain.verifiedAt)
    }).pipe(Effect.scoped),
  )
})

describe("sending domains", () => {
  it.live("two workspaces with the same domain have different keys and records", () =>
    Effect.gen(function* () {
      const { added, workspaces } = yield* begin
      const other = yield* workspaces.create({ name: "Other" })
      const { records } = yield* workspaces.addDomain(other.id, "example.com")
      assert.notStrictEqual(records[0]?.name, added.records[0]?.name)
      assert.notStrictEqual(records[0]?.value, added.records[0]?.value)
      assert.isFalse(records[0]?.verified)
    }).pipe(Effect.scoped),
  )

  it.live("a name that is too long for a return path is refused", () =>
    Effect.gen(function* () {
      const { workspace, workspaces } = yield* begin
      const named = (length: number) => `${"a".repeat(50)}.${"b".repeat(50)}.${"c".repeat(length - 106)}.com`
      assert.strictEqual(named(184).length, 184)
      yield* workspaces.addDomain(workspace, named(168))
      const refused = yield* Effect.flip(workspaces.addDomain(workspace, `dd.${"d".repeat(60)}.${named(168)}`))
      assert.include(refused.message, "184")
    }).pipe(Effect.scoped),
  )

  for (const [name, stores] of [
    ["memory", memory],
    ["PostgreSQL", postgres],
  ] as const) {
    it.live(`a domain that is removed during the DNS query stays removed: ${name}`, () =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const answer = yield* Deferred.make<ReadonlyArray<string>>()
        const slow = Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answer))
        const quick = Effect.succeed([])
        let isSlow = false
        const dns = DnsResolver.of({
          txt: (host) => (isSlow && host.includes("_domainkey") ? slow : quick),
          cname: () => quick,
          mx: () => quick,
        })
        const context = yield* Layer.build(usingDns(Layer.succeed(DnsResolver, dns), stores))
        const workspaces = Context.get(context, Workspaces)
        const { id: workspace } = yield* workspaces.create({ name: "Acme" })
        const { domain, records } = yield* workspaces.addDomain(workspace, "example.com")
        isSlow = true
        const verifying = yield* Effect.forkChild(Effect.flip(workspaces.verifyDomain(workspace, domain.id)))
        yield* Deferred.await(asked)
        yield* workspaces.removeDomain(workspace, domain.id)
        yield* Deferred.succeed(answer, [records[0]?.value ?? ""])
        assert.strictEqual((yield* Fiber.join(verifying))._tag, "NotFound")
        assert.deepStrictEqual(yield* Context.get(context, WorkspaceStore).domains(workspace), [])
      }).pipe(Effect.scoped),
    )

    it.live(`of two concurrent requests that add one domain, one is refused: ${name}`, () =>
      Effect.gen(function* () {
        const nothing = Effect.succeed([])
        const dns = DnsResolver.of({ txt: () => nothing, cname: () => nothing, mx: () => nothing })
        const context = yield* Layer.build(usingDns(Layer.succeed(DnsResolver, dns), stores))
        const workspaces = Context.get(context, Workspaces)
        const { id: workspace } = yield* workspaces.create({ name: "Acme" })
        const add = (id: WorkspaceId) => Effect.result(workspaces.addDomain(id, "example.com"))
        const both = yield* Effect.all([add(workspace), add(workspace)], { concurrency: 2 })
        assert.deepStrictEqual(both.map(({ _tag }) => _tag).sort(), ["Failure", "Success"])
      }).pipe(Effect.scoped),
    )
  }
})
