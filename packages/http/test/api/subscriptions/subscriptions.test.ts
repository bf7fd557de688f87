// Tests of double opt-in over HTTP, on both adapters: the request, the mail, the page of its link, and the answers of both.
import { tagged } from "@tentpole/core/contract"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Confirmations } from "@tentpole/core/subscriptions/Confirmations"
import { hostedPageNames } from "@tentpole/core/subscriptions/HostedPage"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import * as ConfirmationPages from "@tentpole/http/subscriptions/ConfirmationPages"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { verifiedSender } from "../../attacks/AttackFixture.ts"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { type Json, paths, servingOver, testKey, unknownId, world } from "../../fixtures/World.ts"

const root = "/v1/subscriptions"
const consent = { text: "Yes, send me the <b>letter</b>.", source: "checkout", ip: "2001:db8:1:2::7" }
const urlencoded = { "content-type": "application/x-www-form-urlencoded", "user-agent": "Browser" }

describe.each([
  ["memory", servingOver(world, Api, handlers)],
  ["PostgreSQL", servingOver(postgresWorld, Api, handlers)],
] as const)("double opt-in on %s", (_, serving) => {
  const started = Effect.gen(function* () {
    const { call, context } = yield* serving
    const shared: Context.Context<Workspaces | Confirmations> = context
    const workspaces = Context.get(shared, Workspaces)
    const { workspace } = yield* Effect.orDie(workspaces.authenticate(testKey))
    yield* verifiedSender(workspace.id, context)
    const senderDefaults = { fromName: "Acme", fromAddress: "news@example.test", replyToEmail: null }
    const privacyUrl = "https://example.org/privacy"
    yield* Effect.orDie(
      workspaces.update(workspace.id, { senderDefaults, brand: { name: "Acme" }, consent: { privacyUrl } }),
    )
    const topic = Effect.fnUntraced(function* (name: string, more: Json = {}) {
      const { json, text } = yield* call("POST", "/v1/topics", {
        json: { name, default_subscription: "unsubscribed", ...more },
      })
      return (json?.topic_id as string | undefined) ?? assert.fail(text)
    })
    const app = ConfirmationPages.layer({ trustedProxies: [] }).pipe(
      Layer.provide(Layer.succeedContext(context as Context.Context<Confirmations>)),
      Layer.provide(HttpServer.layerServices),
    )
    const { dispose, handler } = HttpRouter.toWebHandler(app, { disableLogger: true })
    yield* Effect.addFinalizer(() => Effect.promise(dispose))
    const visit = (url: string, init: RequestInit = {}) =>
      Effect.promise(async () => {
        const answer = await handler(new Request(url, init))
        return { status: answer.status, headers: answer.headers, text: await answer.text() }
      })
    const post = (url: string, body: string) => visit(url, { method: "POST", body, headers: urlencoded })
    const ask = (topic_ids: ReadonlyArray<string>, more: Json = {}) =>
      call("POST", root, { json: { email: "Ida@example.org", topic_ids, consent, ...more } })
    const linkOf = Effect.fnUntraced(function* (subscription: Json) {
      const { text } = yield* call("GET", `/v1/email-messages/${subscription.confirmation_message_id}/plain-text`)
      return /http\S+\/s\/[\w-]+/.exec(text)?.[0] ?? assert.fail(text)
    })
    return { ask, call, linkOf, post, topic, visit }
  })

  tagged(it.live, "attack/unsubscribe-prefetch")("the button of the page confirms, and nothing else does", () =>
    Effect.gen(function* () {
      const { ask, call, linkOf, post, topic, visit } = yield* started
      const news = yield* topic("News & <i>more</i>")
      const asked = yield* ask([news], { contact: { first_name: "Ida" } })
      assert.strictEqual(asked.status, 202, asked.text)
      assert.deepInclude(asked.json, { status: "pending", email: "Ida@example.org", confirmed_at: null })
      const link = yield* linkOf(asked.json)
      const page = yield* visit(link)
      assert.strictEqual(page.status, 200)
      for (const shown of [
        "Ida@example.org",
        "News &amp; &lt;i&gt;more&lt;/i&gt;",
        "&lt;b&gt;letter",
        'lang="en"',
        "https://example.org/privacy",
      ]) {
        assert.include(page.text, shown)
      }
      assert.strictEqual(page.headers.get("referrer-policy"), "no-referrer")
      assert.include(page.headers.get("content-security-policy"), "default-src 'none'")
      assert.strictEqual((yield* visit(link, { method: "HEAD" })).status, 200)
      assert.strictEqual((yield* post(link, "List-Unsubscribe=One-Click")).status, 400)
      assert.strictEqual((yield* post(link, `x=${"y".repeat(20_000)}`)).status, 413)
      assert.strictEqual((yield* visit(link, { method: "PUT" })).status, 405)
      const find = call("GET", `${root}/${asked.json.subscription_request_id}`)
      assert.strictEqual((yield* find).json.status, "pending")
      const [one, two] = yield* Effect.all([post(link, "confirm=subscribe"), post(link, "confirm=subscribe")], {
        concurrency: 2,
      })
      assert.deepStrictEqual([one.status, two.status], [200, 200])
      assert.include(one.text, "You are subscribed")
      const { json } = yield* find
      assert.strictEqual(json.status, "confirmed")
      assert.deepStrictEqual(json.topics, [{ topic_id: news, name: "News & <i>more</i>", status: "subscribed" }])
      const records = yield* call("GET", `/v1/contacts/${json.contact_id}/consent-records`)
      const [confirmed] = records.json.consent_records.filter(({ action }: Json) => action === "confirmed")
      assert.deepInclude(confirmed, { source: "api", text: consent.text, user_agent: "Browser" })
      const [requested] = records.json.consent_records.filter(({ action }: Json) => action === "requested")
      assert.deepInclude(requested, { ip_prefix: "2001:db8:1::/48", source_detail: "checkout" })
      assert.lengthOf(records.json.consent_records, 3)
    }).pipe(Effect.scoped),
  )

  tagged(it.live, "attack/mail-bombing")("answers what is wrong, and when a limit ends", () =>
    Effect.gen(function* () {
      const { ask, call, linkOf, topic, visit } = yield* started
      const news = yield* topic("News")
      const first = yield* ask([news])
      const limited = yield* ask([news])
      assert.deepStrictEqual([limited.status, limited.json.error_code], [429, "confirmation_limit_reached"])
      assert.match(limited.headers.get("retry-after") ?? "", /^[1-9]\d?$/)
      const resent = yield* call("POST", `${root}/${first.json.subscription_request_id}/resend`)
      assert.strictEqual(resent.status, 429)
      const wrong = yield* ask([news], { redirect_url: "javascript:alert(1)", consent: { ...consent, ip: "here" } })
      assert.deepStrictEqual([wrong.status, paths(wrong)], [400, ["consent.ip", "redirect_url"]])
      const unknown = yield* ask([unknownId])
      assert.deepStrictEqual([unknown.status, paths(unknown)], [404, ["topic_ids.0"]])
      yield* call("PATCH", `/v1/topics/${news}`, { json: { status: "archived" } })
      assert.strictEqual((yield* ask([news])).json.error_code, "topic_archived")
      const link = yield* linkOf(first.json)
      for (const forged of [`${link}x`, link.slice(0, -1), link.replace(/.{5}$/, "AAAAA")]) {
        const page = yield* visit(forged)
        assert.deepStrictEqual([page.status, page.text.includes("Ida")], [404, false])
      }
    }).pipe(Effect.scoped),
  )

  it.live("has previews of its pages, which are what a link shows, and stores nothing for them", () =>
    Effect.gen(function* () {
      const { ask, call, linkOf, post, topic, visit } = yield* started
      const list = (query = "") => call("GET", `/v1/hosted-pages${query}`)
      const pagesIn = ({ json }: { readonly json: Json }): Record<string, string> =>
        Object.fromEntries(json.hosted_pages.map(({ html, name }: Json) => [name, html]))
      const first = pagesIn(yield* list())
      assert.deepStrictEqual(Object.keys(first), [...hostedPageNames])
      assert.include(first["confirmation"], "Monthly news")
      assert.include(first["unsubscribe"], "Stop all marketing email to")
      const shown = { description: "<i>Weekly</i>", visibility: "public" }
      const [news, offers] = [
        yield* topic("News & <b>more</b>", shown),
        yield* topic("Offers", { visibility: "private" }),
      ]
      const old = yield* topic("Old", { visibility: "public" })
      yield* call("PATCH", `/v1/topics/${old}`, { json: { status: "archived" } })
      const pages = pagesIn(yield* list(`?topic_id=${news}`))
      for (const html of Object.values(pages)) {
        assert.include(html, "Acme")
        assert.notMatch(html, /<b>more|<i>Weekly|\bOld\b|<script/)
      }
      assert.match(pages["preferences"] ?? "", new RegExp(`value="${news}" checked`))
      assert.notInclude(pages["preferences"], "Offers")
      assert.include(pagesIn(yield* list(`?topic_id=${offers}`))["preferences"], "Offers")
      assert.strictEqual((yield* list(`?topic_id=${unknownId}`)).status, 404)
      assert.strictEqual((yield* call("GET", "/v1/contacts")).json.pagination.total, 0)

      const said = { ...consent, text: "Yes, send me “News & <b>more</b>”." }
      const asked = yield* ask([news], { email: "ann@example.org", consent: said })
      const link = yield* linkOf(asked.json)
      assert.strictEqual((yield* visit(link)).text, pages["confirmation"])
      assert.strictEqual((yield* post(link, "confirm=subscribe")).text, pages["confirmed"])
    }).pipe(Effect.scoped),
  )

  it.live("sends an own email with the link, and refuses one without it", () =>
    Effect.gen(function* () {
      const { ask, call, linkOf, post, topic } = yield* started
      const news = yield* topic("News")
      const approved = Effect.fnUntraced(function* (text: string) {
        const sender = { from_name: "Acme", from_address: "news@example.test", reply_to_email: "help@example.test" }
        const html = `<p>Hello {{contact.first_name|there}}, ${text}</p>`
        const { json } = yield* call("POST", "/v1/emails", {
          json: { name: text, subject: "Confirm", html, ...sender },
        })
        assert.strictEqual((yield* call("POST", `/v1/emails/${json.email_id}/approve`)).status, 200)
        return json.email_id as string
      })
      const plain = yield* ask([news], { confirmation_email_id: yield* approved("no link") })
      assert.deepStrictEqual([plain.status, plain.json.error_code], [400, "email_not_ready"])
      assert.deepStrictEqual(plain.json.details.missing, ["confirm_url"])
      const own = yield* approved('<a href="{{confirm_url}}">Confirm {{data.topics}}</a>')
      const redirect_url = "https://example.org/welcome?a=1&b=2"
      const asked = yield* ask([news], { confirmation_email_id: own, redirect_url })
      assert.strictEqual(asked.status, 202, asked.text)
      const message = yield* call("GET", `/v1/email-messages/${asked.json.confirmation_message_id}/content`)
      assert.include(message.text, "Confirm News")
      const done = yield* post(yield* linkOf(asked.json), "confirm=subscribe")
      assert.include(done.text, "url=https://example.org/welcome?a=1&amp;b=2")
    }).pipe(Effect.scoped),
  )
})
