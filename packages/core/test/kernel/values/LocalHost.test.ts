// Tests of local hosts.
import { isLocalHost } from "@tentpole/core/kernel/values/LocalHost"
import { assert, describe, it } from "vitest"

const local = [
  "localhost pages.localhost printer.local db.internal nas.home.arpa mail localhost.",
  "127.0.0.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.9 169.254.0.1 100.64.0.1 0.0.0.0",
  "[::1] :: fe80::1 [fd12:3456::1] fc00::1",
]

const known = [
  "example.com local.example.com localhost.example.com internal.example 10.example.com",
  "172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 11.0.0.1 192.169.0.1 [2001:db8::1] fe00::1",
]

const words = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.flatMap((line) => line.split(" "))

describe("isLocalHost", () => {
  it.each(words(local))("%s is local", (host) => assert.isTrue(isLocalHost(host)))

  it.each(words(known))("%s is not local", (host) => assert.isFalse(isLocalHost(host)))
})
