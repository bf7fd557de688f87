// Tests of the rules of sign-ins with an identity provider.
import {
  hostOf,
  type Identity,
  nameOf,
  returnPathOf,
  rolesIn,
  userOf,
  verifiedEmail,
} from "@tentpole/core/accounts/oidc/Oidc"
import type { User } from "@tentpole/core/accounts/User"
import { UserId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const issuer = "https://login.example.org/realms/one"
const identity: Identity = {
  issuer,
  subject: "1",
  email: "Ann@Example.org",
  emailVerified: true,
  name: "Ann Lee",
  authTime_s: null,
  roleClaim: undefined,
}

const user = (oidcIssuer: string | null): User => ({
  id: UserId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"),
  name: "Ann",
  email: "ann@example.org",
  emailNormalized: "ann@example.org",
  passwordHash: null,
  oidcIssuer,
  oidcSubject: oidcIssuer === null ? null : "2",
  operator: false,
  createdAt: DateTime.makeUnsafe(0),
})

describe("the path to return to", () => {
  it("is a screen of the console", () => {
    for (const path of ["/w/acme/contacts", "/w/acme", "/w/acme/lists/7b0c?search=a%20b&sort=name"]) {
      assert.strictEqual(returnPathOf(path), path)
    }
  })

  it("is never another site, another part of the service, or too long", () => {
    for (const path of [
      null,
      "",
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "/w//evil.example",
      "/w/acme//evil.example",
      "/w/acme\\@evil.example",
      "/w/acme\r\nset-cookie: a=b",
      "/w/acme#link=abc",
      "javascript:alert(1)",
      "/auth/v1/oidc/start",
      `/w/acme/${"a".repeat(1_000)}`,
    ]) {
      assert.strictEqual(returnPathOf(path), "/", String(path))
    }
  })
})

describe("the address of an identity", () => {
  it("counts only if the provider has verified it", () => {
    assert.strictEqual(verifiedEmail(identity)?.normalized, "ann@example.org")
    assert.isNull(verifiedEmail({ ...identity, emailVerified: false }))
    assert.isNull(verifiedEmail({ ...identity, email: null }))
    assert.isNull(verifiedEmail({ ...identity, email: "no address" }))
  })
})

describe("the role claim", () => {
  it("is one text or a list of `<slug>:<role>`; the highest role of a workspace counts", () => {
    assert.deepStrictEqual([...rolesIn("acme:editor")], [["acme", "editor"]])
    assert.deepStrictEqual(
      [...rolesIn(["acme:viewer", "acme:owner", "acme:editor", "beta:sender"])],
      [
        ["acme", "owner"],
        ["beta", "sender"],
      ],
    )
  })

  it("gives nothing for other values", () => {
    for (const claim of [
      undefined,
      null,
      7,
      {},
      "",
      "operator",
      "acme",
      ":owner",
      "acme:operator",
      "acme:owner:x",
      ["staff", 7, null, ["acme:owner"]],
    ]) {
      assert.strictEqual(rolesIn(claim).size, 0, JSON.stringify(claim))
    }
  })
})

describe("the user of an identity", () => {
  it("is the one with the subject, whatever the address says; else the one with the address", () => {
    const [bound, other, free] = [user(issuer), user(issuer), user(null)]
    assert.strictEqual(userOf(identity, bound, free), bound)
    assert.strictEqual(userOf(identity, null, free), free)
    assert.isNull(userOf(identity, null, null))
    assert.isUndefined(userOf(identity, null, other))
  })

  it("may come from another provider than before", () => {
    const moved = user("https://old.example.org")
    assert.strictEqual(userOf(identity, null, moved), moved)
  })

  it("is called as at the provider, else by the address", () => {
    assert.strictEqual(nameOf(identity, "ann@example.org"), "Ann Lee")
    assert.strictEqual(nameOf({ ...identity, name: " " }, "ann@example.org"), "ann@example.org")
    assert.strictEqual(nameOf({ ...identity, name: null }, "ann@example.org"), "ann@example.org")
  })
})

it("people know the provider by its host", () => {
  assert.strictEqual(hostOf(issuer), "login.example.org")
})
