import { checkDomain, toDomain } from "@tentpole/core/kernel/values/DomainName"
import {
  dnsRecords,
  isReservedName,
  namesOf,
  satisfies,
  type SendingDomain,
} from "@tentpole/core/workspaces/SendingDomain"
import { DomainId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"

const domain: SendingDomain = {
  id: DomainId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"),
  domain: "example.com",
  status: "pending",
  dkimSelector: "tentpole",
  dkimPublicKey: "MIIBIjAN",
  dkimPrivateKeySealed: Uint8Array.of(),
  verifiedAt: null,
  createdAt: DateTime.makeUnsafe(0),
}

describe("DNS records of a sending domain", () => {
  const [dkim, spf, returnPath, dmarc] = dnsRecords(domain, "mail.example.org")

  it("have name and value to set", () => {
    assert.deepStrictEqual(dkim, {
      purpose: "dkim",
      type: "TXT",
      name: "tentpole._domainkey.example.com",
      value: "v=DKIM1; k=rsa; p=MIIBIjAN",
    })
    assert.strictEqual(returnPath?.name, "bounce.example.com")
    assert.strictEqual(dmarc?.name, "_dmarc.example.com")
  })

  it("count at their name; a policy also counts at parent names up to the organisation's", () => {
    const namesFor = (name: string) => dnsRecords({ ...domain, domain: name }, "mail.example.org").map(namesOf)
    assert.deepStrictEqual(namesFor("example.co.uk")[3], ["_dmarc.example.co.uk"])
    assert.deepStrictEqual(namesFor("a.b.example.co.uk")[3], [
      "_dmarc.a.b.example.co.uk",
      "_dmarc.b.example.co.uk",
      "_dmarc.example.co.uk",
    ])
    assert.deepStrictEqual(namesFor("a.example.com")[1], ["bounce.a.example.com"])
  })

  it("are satisfied by equivalent values, and by nothing else", () => {
    if (dkim === undefined || spf === undefined || returnPath === undefined || dmarc === undefined) return assert.fail()
    assert.isTrue(satisfies(dkim, ["v=DKIM1;k=rsa;  p=MIIB IjAN"]))
    assert.isFalse(satisfies(dkim, ["v=DKIM1; k=rsa; p=other"]))
    assert.isFalse(satisfies(dkim, []))
    assert.isFalse(satisfies(dkim, ["V=DKIM2; p=MIIBIjAN", "v=DKIM1; p=MIIBIjAN"]))
    assert.isFalse(satisfies(dkim, ["v=DKIM1; k=ed25519; p=MIIBIjAN"]))
    assert.isTrue(satisfies(spf, ["google-verification=1", "v=spf1 include:x ~all"]))
    assert.isFalse(satisfies(spf, ["v=spf10 a"]))
    assert.isFalse(satisfies(spf, ["v=spf1 ?all"]))
    assert.isTrue(satisfies(spf, ["V=SPF1 redirect=_spf.example.net"]))
    assert.isTrue(satisfies(dmarc, ["v=DMARC1; p=reject"]))
    assert.isFalse(satisfies(dmarc, ["v=DMARC12; p=reject"]))
    assert.isFalse(satisfies(dmarc, ["v=DMARC1; p=maybe"]))
    assert.isTrue(satisfies(returnPath, ["mail.example.org"]))
    assert.isFalse(satisfies(returnPath, ["mail.example.net"]))
  })
})

describe("Domain names", () => {
  it("are A-labels in lower case", () => {
    assert.strictEqual(toDomain("Bücher.Example"), "xn--bcher-kva.example")
    assert.strictEqual(toDomain(" example.COM "), "example.com")
  })

  it("are refused when they look like another one or are invalid", () => {
    for (const text of [
      "",
      "localhost",
      "a b.com",
      "exa%6dple.com",
      "ex\u200bample.com",
      "-a.com",
      "a..b",
      "a_b.com",
      "x.com\r\nBcc: y",
    ]) {
      assert.isNull(toDomain(text), JSON.stringify(text))
    }
  })

  it("are refused for public suffixes", () => {
    assert.isTrue(Result.isFailure(checkDomain("domain", "co.uk")))
    assert.isTrue(Result.isSuccess(checkDomain("domain", "example.co.uk")))
    assert.isTrue(Result.isSuccess(checkDomain("domain", "example.test")))
  })

  it.prop("decode without throwing, and to themselves the second time", [Schema.String], ([text]) => {
    const once = toDomain(text)
    return once === null || toDomain(once) === once
  })

  it("do not exist under .test and .localhost", () => {
    assert.isTrue(isReservedName("example.test"))
    assert.isTrue(isReservedName("a.localhost"))
    assert.isFalse(isReservedName("mytest"))
    assert.isFalse(isReservedName("example.latest"))
  })
})
