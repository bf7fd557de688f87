import { isPermitted, type Network, parseAddress, parseNetwork } from "@tentpole/core/webhooks/NetworkAddress"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const networkOf = (text: string): Network => parseNetwork(text) ?? assert.fail(`${text} is no network`)
const permits = (text: string, ...exceptions: ReadonlyArray<string>): boolean =>
  isPermitted(parseAddress(text) ?? assert.fail(`${text} is no address`), exceptions.map(networkOf))

const bounds: ReadonlyArray<readonly [inside: string, outside: string]> = [
  ["0.255.255.255", "1.0.0.0"],
  ["10.0.0.0", "9.255.255.255"],
  ["10.255.255.255", "11.0.0.0"],
  ["100.64.0.0", "100.63.255.255"],
  ["100.127.255.255", "100.128.0.0"],
  ["127.0.0.1", "126.255.255.255"],
  ["127.255.255.255", "128.0.0.0"],
  ["169.254.0.0", "169.253.255.255"],
  ["169.254.255.255", "169.255.0.0"],
  ["172.16.0.0", "172.15.255.255"],
  ["172.31.255.255", "172.32.0.0"],
  ["192.0.0.255", "192.0.1.0"],
  ["192.0.2.1", "192.0.3.0"],
  ["192.88.99.1", "192.88.98.255"],
  ["192.168.0.0", "192.167.255.255"],
  ["192.168.255.255", "192.169.0.0"],
  ["198.18.0.0", "198.17.255.255"],
  ["198.19.255.255", "198.20.0.0"],
  ["198.51.100.7", "198.51.101.0"],
  ["203.0.113.9", "203.0.114.0"],
  ["224.0.0.0", "223.255.255.255"],
  ["255.255.255.255", "8.8.8.8"],
  ["::", "2606:4700::1111"],
  ["::1", "2a00::1"],
  ["fc00::", "fb00::"],
  ["fdff:ffff::1", "fe00::1"],
  ["fe80::1", "fe7f::1"],
  ["febf::1", "2c0f::1"],
  ["fec0::1", "2400::1"],
  ["feff::1", "2803::1"],
  ["ff02::1", "2001:4860::8888"],
  ["2001:db8::1", "2001:db9::1"],
  ["100::1", "100:0:0:1::1"],
]

/** Forms of IPv6 that carry an IPv4 address, given as two groups. */
const carriers: ReadonlyArray<(high: string, low: string) => string> = [
  (high, low) => `::${high}:${low}`,
  (high, low) => `::ffff:${high}:${low}`,
  (high, low) => `64:ff9b::${high}:${low}`,
  (high, low) => `2002:${high}:${low}::1`,
  (high, low) => `64:ff9b:1::${high}:${low}`,
  (high, low) => `2001:0:${high}:${low}::f7f7:f7f7`,
]

const groupsOf = (ipv4: string): readonly [string, string] => {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split(".").map(Number)
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
}

describe("NetworkAddress", () => {
  it.each(bounds)("%s is refused, its neighbour %s is permitted", (inside, outside) => {
    assert.deepStrictEqual([permits(inside), permits(outside)], [false, true])
  })

  it("an address in IPv6 that carries a refused IPv4 address is refused, in each form", () => {
    for (const carrier of carriers) {
      for (const address of ["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.1.1", "224.0.0.1"]) {
        assert.isFalse(permits(carrier(...groupsOf(address))), carrier(...groupsOf(address)))
      }
    }
    assert.isFalse(permits("2001:0:808:808::80ff:fffe"), "the client of Teredo is 127.0.0.1")
    assert.isFalse(permits("64:ff9b:1:7f00:0:100::"), "127.0.0.1 after a prefix of 48 bits")
    for (const permitted of ["::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:0:808:808::f7f7:f7f7"]) {
      assert.isTrue(permits(permitted), permitted)
    }
  })

  it("an exception permits its network, for IPv4 in IPv6 too", () => {
    assert.isTrue(permits("10.1.2.3", "10.1.0.0/16"))
    assert.isFalse(permits("10.2.2.3", "10.1.0.0/16"))
    assert.isTrue(permits("::ffff:10.1.2.3", "10.1.0.0/16"))
    assert.isTrue(permits("::1", "::1"))
    assert.isFalse(permits("127.0.0.1", "::1"))
  })

  it("the metadata addresses need an exception of their full length, in IPv6 too", () => {
    for (const [address, networks] of [
      ["169.254.169.254", ["169.254.0.0/16", "0.0.0.0/0", "169.254.169.254/31"]],
      ["::ffff:169.254.169.254", ["169.254.0.0/16", "0.0.0.0/0", "::/0"]],
      ["fd00:ec2::254", ["fd00::/8", "::/0"]],
    ] as const) {
      for (const network of networks) assert.isFalse(permits(address, network), `${address} ${network}`)
    }
    assert.isTrue(permits("169.254.169.254", "169.254.169.254/32"))
    assert.isTrue(permits("::ffff:169.254.169.254", "169.254.169.254"))
    assert.isTrue(permits("fd00:ec2::254", "fd00:ec2::254"))
  })

  it("reads addresses as resolvers write them, and nothing else", () => {
    for (const text of ["", "1.2.3", "1.2.3.4.5", "01.2.3.4", "256.1.1.1", "0x7f.0.0.1", "1.2.3.4 ", "localhost"]) {
      assert.isNull(parseAddress(text), text)
    }
    for (const text of [
      ":",
      ":::",
      "1::2::3",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "fe80::1%eth0",
      "g::",
      "::1.2.3",
    ]) {
      assert.isNull(parseAddress(text), text)
    }
    for (const text of ["10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/8/8", "::/129", "a/8"]) {
      assert.isNull(parseNetwork(text), text)
    }
  })

  const Group = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))
  it.prop(
    "reads each spelling of an IPv6 address as the same bits",
    { groups: Schema.Tuple([Group, Group, Group, Group, Group, Group, Group, Group]) },
    ({ groups }) => {
      const full = groups.map((group) => group.toString(16).padStart(4, "0")).join(":")
      const short = full.replaceAll(/(?<=:|^)0{1,3}(?=[0-9a-f])/g, "").replace(/(?:^|:)0(?::0)*(?::|$)/, "::")
      const bits = groups.reduce((all, group) => (all << 16n) | BigInt(group), 0n)
      assert.deepStrictEqual(parseAddress(full), { family: 6, bits })
      assert.deepStrictEqual(parseAddress(short), { family: 6, bits })
    },
  )
})
