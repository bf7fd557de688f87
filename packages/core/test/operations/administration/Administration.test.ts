// Tests of operator input (domains of pages, senders and brands) and of audit entries of workspace changes.
import { auditOfWorkspace } from "@tentpole/core/workspaces/WorkspaceAudit"
import { checkPageDomain } from "@tentpole/core/workspaces/PageDomain"
import { decodeCursor, encodeCursor, textId } from "@tentpole/core/kernel/Page"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Workspace, WorkspaceChange, type WorkspaceFields } from "@tentpole/core/workspaces/Workspace"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"

const id = WorkspaceId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11")
const at = (ms: number) => DateTime.makeUnsafe(ms)
const made = (fields: WorkspaceFields) => WorkspaceChange.create(id, { name: "Acme", ...fields }, at(0))

const wrong = (fields: WorkspaceFields): ReadonlyArray<string> =>
  Result.match(made(fields), { onSuccess: () => [], onFailure: ({ issues }) => issues.map(({ path }) => path) })

const workspace = (fields: WorkspaceFields): Workspace => Result.getOrThrow(made(fields)).after

describe("Workspace fields", () => {
  it("accept sender defaults that an email would accept", () => {
    const good = { fromName: "Ann", fromAddress: "ann@example.com", replyToEmail: "r@example.com" }
    assert.deepStrictEqual(wrong({ senderDefaults: good }), [])
    assert.deepStrictEqual(wrong({ senderDefaults: { fromName: null, fromAddress: null } }), [])
    assert.deepStrictEqual(
      wrong({ senderDefaults: { fromName: "a\r\nBcc: x", fromAddress: "nobody", replyToEmail: "ü@example.com" } }),
      ["sender_defaults.from_name", "sender_defaults.from_address", "sender_defaults.reply_to_email"],
    )
  })

  it("accept web addresses and a colour for a brand", () => {
    const good = { logoUrl: "https://a.test/l.png", iconUrl: null, primaryColor: "#1A73e8", domain: "example.com" }
    assert.deepStrictEqual(wrong({ brand: good }), [])
    assert.deepStrictEqual(
      wrong({ brand: { logoUrl: "javascript:alert(1)", iconUrl: 'https://a"b', primaryColor: "red", domain: "x" } }),
      ["brand.logo_url", "brand.icon_url", "brand.primary_color", "brand.domain"],
    )
    assert.deepStrictEqual(wrong({ brand: { logoUrl: "https://a;script-src/x.png", iconUrl: "https://a,b/x.png" } }), [
      "brand.logo_url",
      "brand.icon_url",
    ])
  })

  it("accept an IANA time zone and a postal address that fits into a footer", () => {
    assert.deepStrictEqual(wrong({ timeZone: "Europe/Zurich", postalAddress: "1 Way" }), [])
    assert.deepStrictEqual(wrong({ timeZone: "Mars/Olympus", postalAddress: "x".repeat(501) }), [
      "time_zone",
      "postal_address",
    ])
  })
})

describe("Page domains", () => {
  const service = { pagesHost: "Pages.example", hosts: ["api.example.com"] }
  const checked = (name: string) => Result.getOrElse(checkPageDomain("domain", name, service), () => null)

  it("belong to the workspace, in A-labels", () => {
    assert.strictEqual(checked("WWW.Bücher.example"), "www.xn--bcher-kva.example")
  })

  it("are neither public suffixes nor the service's own", () => {
    for (const name of ["co.uk", "localhost", "pages.example", "a.pages.example", "api.example.com", "a b.test", ""]) {
      assert.isNull(checked(name), name)
    }
  })
})

describe("Audit entry of a workspace change", () => {
  it("has values of plans, credits and limits, and only the names of fields with personal text", () => {
    const before = workspace({ plan: "free", credits: 1, postalAddress: "1 Way", senderDefaults: { fromName: "Ann" } })
    const change = WorkspaceChange.update(
      before,
      { plan: "pro", credits: 9, postalAddress: "2 Street", senderDefaults: { fromAddress: "ann@example.com" } },
      at(1),
    )
    const [event] = auditOfWorkspace(before, Result.getOrThrow(change).after)
    assert.deepStrictEqual(event?.details, {
      changes: [
        { field: "plan", from: "free", to: "pro" },
        { field: "credits", from: 1, to: 9 },
        { field: "postal_address" },
        { field: "sender_defaults" },
      ],
    })
    for (const word of ["Way", "Street", "Ann", "@"]) assert.notInclude(JSON.stringify(event), word)
  })

  it("is not written when nothing changes", () => {
    const before = workspace({})
    const same = Result.getOrThrow(WorkspaceChange.update(before, { credits: before.credits }, at(9))).after
    assert.deepStrictEqual(auditOfWorkspace(before, same), [])
  })
})

it("Cursors of addresses and of ids do not decode as each other", () => {
  const cursor = { at: 5, id: "ann@example.com" }
  assert.deepStrictEqual(Result.getOrThrow(decodeCursor(encodeCursor(cursor), textId)), cursor)
  assert.isTrue(Result.isFailure(decodeCursor(encodeCursor(cursor))))
  assert.isTrue(Result.isFailure(decodeCursor(encodeCursor({ at: 5, id: "a\nb" }), textId)))
})
