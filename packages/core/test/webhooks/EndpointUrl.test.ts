import { checkEndpointUrl } from "@tentpole/core/webhooks/EndpointUrl"
import { type Network, parseNetwork } from "@tentpole/core/webhooks/NetworkAddress"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const own = new Set(["api.example.org:443", "10.0.0.5:8080"])

const check = (text: string, ...networks: ReadonlyArray<string>): string => {
  const exceptions = networks.map((each): Network => parseNetwork(each) ?? assert.fail(each))
  const checked = checkEndpointUrl("url", text, { exceptions, own })
  return Result.isSuccess(checked) ? checked.success : (checked.failure.issues[0]?.message ?? "")
}

describe("EndpointUrl", () => {
  it("is any https URL with a public host, as the parser writes it", () => {
    assert.strictEqual(check("https://CRM.example.org:8443/a?b=c"), "https://crm.example.org:8443/a?b=c")
    assert.strictEqual(check("https://crm.example.org"), "https://crm.example.org/")
    assert.strictEqual(check("https://8.8.8.8/x"), "https://8.8.8.8/x")
    assert.strictEqual(check("https://[2606:4700::1111]/"), "https://[2606:4700::1111]/")
    assert.strictEqual(check("https://m\u00fcnchen.example/"), "https://xn--mnchen-3ya.example/")
  })

  it("is refused with an address that is private or reserved, in each spelling", () => {
    for (const host of [
      "127.0.0.1",
      "2130706433",
      "0x7f.1",
      "0177.0.0.1",
      "127.1",
      "[::1]",
      "[::ffff:7f00:1]",
      "[::ffff:127.0.0.1]",
      "10.1.2.3",
      "169.254.169.254",
      "[fd00:ec2::254]",
      "0",
      "\uff11\uff12\uff17.0.0.1",
      "127.0.0.1.",
    ]) {
      assert.strictEqual(check(`https://${host}/`), "must not be a private or reserved address", host)
    }
  })

  it("is refused with a local name, or with one of the service's own addresses", () => {
    for (const host of ["localhost", "localhost.", "a.localhost", "b.local", "c.internal", "d.home.arpa", "db"]) {
      assert.strictEqual(check(`https://${host}/`), "must not be a local name", host)
    }
    for (const url of ["https://api.example.org/v1", "https://API.example.org.:443/", "http://10.0.0.5:8080/"]) {
      assert.strictEqual(check(url, "10.0.0.0/8"), "must not be an address of this service", url)
    }
  })

  it("is plain http only into networks of the operator", () => {
    for (const url of ["http://8.8.8.8/", "http://example.org/"]) {
      assert.strictEqual(check(url), "must begin with https://")
    }
    assert.strictEqual(check("http://8.8.8.8/", "10.0.0.0/8"), "must begin with https://")
    assert.strictEqual(check("http://10.1.2.3/", "10.0.0.0/8"), "http://10.1.2.3/")
    // A name is judged at each connection.
    assert.strictEqual(check("http://crm.internal/", "10.0.0.0/8"), "http://crm.internal/")
  })

  it("is refused with another protocol, a user, a fragment, or too many characters", () => {
    for (const url of ["", "a", "//example.org", "https://", "https://exa mple.org"]) {
      assert.strictEqual(check(url), "must be a URL, such as https://example.org/hooks", url)
    }
    for (const url of ["ftp://example.org", "file:///etc/passwd", "javascript:alert(1)", "gopher://example.org"]) {
      assert.strictEqual(check(url), "must begin with https://", url)
    }
    for (const url of ["https://a@example.org", "https://a:b@example.org", "https://:b@example.org"]) {
      assert.strictEqual(check(url), "must not have a user and password: use a header", url)
    }
    assert.strictEqual(check("https://example.org/#"), "must not have a fragment")
    assert.strictEqual(check(`https://example.org/${"a".repeat(2_048)}`), "must have at most 2048 characters")
  })
})
