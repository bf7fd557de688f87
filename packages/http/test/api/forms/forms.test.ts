// Tests of form submissions from browsers and programs.
import { ContactStore } from "@tentpole/core/contacts/ContactStore"
import { tagged } from "@tentpole/core/contract"
import { field_bytes_max } from "@tentpole/core/forms/Answers"
import { Forms } from "@tentpole/core/forms/Forms"
import { Outbox } from "@tentpole/core/kernel/changes/Outbox"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { honeypot_name } from "@tentpole/core/tents/pages/PageDocument"
import { visitorLimit } from "@tentpole/http/pages/VisitorLimit"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as TokenBucketStore from "@tentpole/adapters/memory/kernel/TokenBucketStore"
import { served, servedOver, type Visit } from "../../fixtures/PagesWorld.ts"
import { world } from "../../fixtures/World.ts"

const urlencoded = { "content-type": "application/x-www-form-urlencoded" }
const encoded = (fields: Record<string, string>): string => new URLSearchParams(fields).toString()

const allContacts = { page: 1, limit: 100, sort: "created_at", order: "asc", search: null, updatedAfter: null } as const

/** A page with a sign-up form, a function that submits it, and the stored results. */
const signUp = (over = served) =>
  Effect.gen(function* () {
    const on = yield* over
    const { id, url } = yield* on.live(
      "join",
      "Build a landing page for a bakery with a sign-up form for first name and email",
    )
    const action =
      /<form action="([^"]+)" method="post"/.exec((yield* on.visit(url)).text)?.[1] ?? assert.fail("no form")
    const at = (path: string) => new URL(path, url).href
    const sending = (sent: Visit) => on.visit(at(action), { method: "POST", ...sent })
    const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      sending({ headers: { ...urlencoded, ...headers }, body: encoded(fields) })
    const received = Effect.map(on.get(Forms).list(on.workspace, id, { after: null, limit: 100 }), ({ items }) => items)
    const people = Effect.map(on.get(ContactStore).list(on.workspace, allContacts), ({ items }) => items)
    return { ...on, id, url, action, at, send, sending, received, people }
  })

it.live("a submission is stored, creates a contact and an event, and gets a thank-you page", () =>
  Effect.gen(function* () {
    const { get, workspace, id, at, action, send, visit, received, people } = yield* signUp()
    yield* get(Transactor).transact(get(Outbox).subscribe(workspace, "test"))
    const answer = yield* send({ email: "Ada@Example.com", first_name: "Ada", nobody_asked: "x", [honeypot_name]: "" })
    assert.deepStrictEqual([answer.status, answer.headers.get("cache-control")], [200, "no-store"])
    assert.strictEqual(answer.headers.get("set-cookie"), null)
    assert.include(answer.text, '<a href="/join">')
    const looked = yield* visit(at(action))
    assert.deepStrictEqual([looked.status, looked.headers.get("allow")], [405, "POST"])
    const [contact, ...others] = yield* people
    assert.deepInclude(contact, { email: "Ada@Example.com", firstName: "Ada", originalSource: "form" })
    const [submission, ...more] = yield* received
    assert.deepInclude(submission, {
      contactId: contact?.id ?? null,
      fields: { email: "Ada@Example.com", first_name: "Ada" },
    })
    assert.deepStrictEqual([others.length, more.length], [0, 0])
    const events = yield* get(Outbox).read(workspace, "test", 10)
    assert.deepInclude(events.at(-1)?.data, { tent_id: id, form_id: "sign-up", fields: submission?.fields })
    assert.strictEqual(events.at(-1)?.type, "form_submission")
  }).pipe(Effect.scoped),
)

it.live("accepts multipart forms without files", () =>
  Effect.gen(function* () {
    const { sending, received } = yield* signUp()
    const body = new FormData()
    body.set("email", "ada@example.com")
    body.set("first_name", "Ada\r\nL.")
    assert.strictEqual((yield* sending({ body })).status, 200)
    assert.deepStrictEqual((yield* received)[0]?.fields, { email: "ada@example.com", first_name: "Ada\r\nL." })
    body.set("cv", new Blob([]), "")
    assert.strictEqual((yield* sending({ body })).status, 200)
    body.set("cv", new Blob(["a file"]), "cv.pdf")
    const refused = yield* sending({ body })
    assert.strictEqual(refused.status, 400)
    assert.include(refused.text, "does not accept files")
    assert.strictEqual((yield* received).length, 2)
  }).pipe(Effect.scoped),
)

const formOverwriteTest = tagged(it.live, "attack/form-overwrite")
formOverwriteTest("a bot that fills the honeypot gets the usual answer, and nothing is stored", () =>
  Effect.gen(function* () {
    const { send, received, people } = yield* signUp()
    const answer = yield* send({ email: "spam@example.com", [honeypot_name]: "http://spam.example" })
    assert.deepStrictEqual([yield* received, yield* people], [[], []])
    const usual = yield* send({ email: "ada@example.com" })
    assert.deepStrictEqual([answer.status, answer.text], [usual.status, usual.text])
  }).pipe(Effect.scoped),
)

it.live("an invalid submission gets the form back, filled in, and nothing is stored", () =>
  Effect.gen(function* () {
    const { send, sending, received, people } = yield* signUp()
    const broken = yield* send({ email: "<b>ada@" })
    assert.strictEqual(broken.status, 400)
    assert.include(broken.text, "Please enter an email address, for example ann@example.com")
    assert.match(broken.text, /<input[^>]* value="&lt;b&gt;ada@"[^>]* name="email"/)
    assert.match(broken.text, /aria-invalid="true" aria-describedby="form-error-1" autofocus=""/)
    assert.notInclude(broken.text, "<b>ada")
    for (const [status, sent] of [
      [400, { headers: urlencoded, body: "" }],
      [400, { headers: urlencoded, body: "email=%00" }],
      [400, { headers: { "content-type": "multipart/form-data; boundary=x" }, body: "--x\r\nbroken" }],
      [413, { headers: urlencoded, body: `email=a%40b.ch&message=${"x".repeat(field_bytes_max + 1)}` }],
      [413, { headers: urlencoded, body: "a=1&".repeat(103) }],
      [413, { headers: urlencoded, body: "+".repeat(1_801) }],
      [413, { headers: urlencoded, body: `email=a%40b.ch&message=${"%20".repeat(field_bytes_max + 1)}` }],
      [400, { headers: urlencoded, body: `?email=a%40b.ch&${"%F0%9F%98%80".repeat(100)}=` }],
      [413, { headers: urlencoded, body: "&".repeat(1_000_000) }],
      [413, { headers: urlencoded, body: "x".repeat(5_000_000) }],
      [413, { headers: { ...urlencoded, "content-length": "99999999" }, body: "" }],
      [
        413,
        {
          headers: { "content-type": "multipart/form-data; boundary=x" },
          body: `${`--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n`.repeat(1_000)}--x--`,
        },
      ],
      [
        413,
        {
          headers: { "content-type": "multipart/form-data; boundary=x" },
          body: `--x\r\ncontent-disposition: form-data; name="cv"; filename="a"\r\n\r\n${"x".repeat(100_000)}\r\n--x--`,
        },
      ],
      [415, { headers: { "content-type": "application/json" }, body: `{"email":"a@b.ch"}` }],
      [415, { headers: { "content-type": "text/plain" }, body: "email=a@b.ch" }],
    ] as const) {
      const answer = yield* sending(sent)
      assert.strictEqual(answer.status, status, `${JSON.stringify(sent).slice(0, 120)}: ${answer.text}`)
      assert.include(answer.headers.get("content-security-policy"), "default-src 'none'")
    }
    assert.deepStrictEqual([yield* received, yield* people], [[], []])
  }).pipe(Effect.scoped),
)

const formRedirectTest = tagged(it.live, "attack/form-redirect")
formRedirectTest("redirects to the form's success URL, not to a URL of the visitor", () =>
  Effect.gen(function* () {
    let wanted = "/thanks?from=form#top"
    const authored = (html: string) => html.replace(`method="post"`, `method="post" data-success-url="${wanted}"`)
    const on = yield* signUp(servedOver(world, { authored }))
    const sent = { email: "a@b.ch", "data-success-url": "https://evil.example", success_url: "https://evil.example" }
    const own = yield* on.send(sent)
    assert.deepStrictEqual([own.status, own.headers.get("location")], [303, "/thanks?from=form#top"])
    for (const [url, location] of [
      ["http://default.pages.test/there", "/there"],
      ["javascript:alert(1)", null],
      ["data:text/html,x", null],
      ["https://other.example/welcome?a=1&amp;b=2", null],
      ["//other.example/", null],
    ] as const) {
      wanted = url
      // A change of the page reloads the form.
      yield* on.tents.publish(on.workspace, on.id, { removeBranding: url.length % 2 === 0 })
      yield* on.tents.unpublish(on.workspace, on.id)
      yield* on.tents.publish(on.workspace, on.id, {})
      const after = yield* on.send(sent)
      assert.deepStrictEqual(
        [after.status, after.headers.get("location")],
        [location === null ? 200 : 303, location],
        url,
      )
      const onward = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(after.text)?.[1] ?? null
      const foreign = { "https://other.example/welcome?a=1&amp;b=2": true, "//other.example/": true }
      assert.strictEqual(onward !== null, url in foreign, url)
      if (onward !== null) assert.match(onward, /^https?:\/\/other\.example\//)
      assert.notInclude(after.text, "evil.example")
      assert.notInclude(after.text, "javascript:")
    }
  }).pipe(Effect.scoped),
)

it.live("answers 404 to unknown forms and forms of unpublished pages", () =>
  Effect.gen(function* () {
    const { workspace, id, url, at, action, visit, send, tents, received } = yield* signUp()
    for (const path of [
      `/f/${id}/other`,
      `/f/${id}/%E0%A4%A`,
      `/f/${id}/`,
      `/f/x/sign-up`,
      `${action}/more`,
      `/f/${id}/constructor`,
    ]) {
      for (const method of ["GET", "POST"]) assert.strictEqual((yield* visit(at(path), { method })).status, 404, path)
    }
    assert.strictEqual((yield* visit(`http://other.pages.test${action}`)).status, 404)
    const put = yield* visit(at(action), { method: "PUT" })
    assert.deepStrictEqual([put.status, put.headers.get("allow")], [405, "POST"])
    assert.strictEqual((yield* visit(url)).status, 200)
    yield* tents.unpublish(workspace, id)
    assert.strictEqual((yield* send({ email: "a@b.ch" })).status, 404)
    assert.deepStrictEqual(yield* received, [])
  }).pipe(Effect.scoped),
)

formOverwriteTest("limits submissions per visitor", () =>
  Effect.gen(function* () {
    const limits = { burst: 3, per_second: 0.001, visitors_max: 10 }
    const { send, received } = yield* signUp(servedOver(world, { limits }))
    for (let turn = 0; turn < 3; turn++) assert.strictEqual((yield* send({ email: "a@b.ch" })).status, 200)
    const refused = yield* send({ email: "a@b.ch" })
    assert.strictEqual(refused.status, 429)
    assert.isAtLeast(Number(refused.headers.get("retry-after")), 1)
    // X-Forwarded-For from an untrusted peer is ignored.
    assert.strictEqual((yield* send({ email: "a@b.ch" }, { "x-forwarded-for": "203.0.113.9" })).status, 429)
    assert.strictEqual((yield* received).length, 3)
  }).pipe(Effect.scoped),
)

it.effect("refills the limit of each network over time", () =>
  Effect.gen(function* () {
    const limit = yield* visitorLimit("forms", { burst: 2, per_second: 0.5, visitors_max: 2 })
    const waits = Effect.fnUntraced(function* (address: string, ...pauses_ms: ReadonlyArray<number>) {
      const all = []
      for (const pause_ms of pauses_ms) {
        yield* TestClock.adjust(pause_ms)
        all.push(yield* limit(address))
      }
      return all
    })
    assert.deepStrictEqual(yield* waits("192.0.2.1", 0, 0, 0, 1_000, 1_000, 0), [0, 0, 2, 1, 0, 2])
    assert.deepStrictEqual(yield* waits("2001:db8:0:1::1", 0, 0), [0, 0])
    assert.deepStrictEqual(yield* waits("2001:0db8::1:ffff:0:0:2", 0), [2])
    assert.deepStrictEqual(yield* waits("2001:db8:0:2::1", 0), [0])
  }).pipe(Effect.provide(TokenBucketStore.layer)),
)
