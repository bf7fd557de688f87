// Zone files of DNS records.
import { assert, describe, it } from "vitest"
import { zoneFileOf } from "../../src/delivery/zoneFile.ts"

describe("a zone file", () => {
  it("has full names, a priority of mail exchangers, and quoted texts", () => {
    const records = [
      { type: "TXT", name: "bounce.example.org", value: "v=spf1 a:mail.example.com ~all" },
      { type: "MX", name: "bounce.example.org", value: "mail.example.com" },
      { type: "CNAME", name: "www.example.org", value: "pages.example.com" },
      { type: "TXT", name: "_dmarc.example.org", value: String.raw`v=DMARC1; p=none; "\ ` },
    ] as const
    assert.deepStrictEqual(zoneFileOf(records).split("\n"), [
      'bounce.example.org. 3600 IN TXT "v=spf1 a:mail.example.com ~all"',
      "bounce.example.org. 3600 IN MX 10 mail.example.com.",
      "www.example.org. 3600 IN CNAME pages.example.com.",
      String.raw`_dmarc.example.org. 3600 IN TXT "v=DMARC1; p=none; \"\\ "`,
      "",
    ])
  })

  it("splits a text of more than 255 bytes into strings", () => {
    const key = `v=DKIM1; k=rsa; p=${"A".repeat(400)}`
    const [, , , type, ...strings] = zoneFileOf([{ type: "TXT", name: "a._domainkey.example.org", value: key }])
      .trim()
      .split(" ")
    assert.strictEqual(type, "TXT")
    const parts = strings.join(" ").split('" "')
    assert.deepStrictEqual(
      parts.map((part) => part.replaceAll('"', "").length),
      [255, key.length - 255],
    )
    assert.strictEqual(parts.join("").replaceAll('"', ""), key)
  })
})
