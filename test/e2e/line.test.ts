// Test of the main path of a user with processes: contacts, a custom field, an import, a list, an email, a blast to a mail
// server, a flow, a page and its views, over HTTP.
import { dkimVerify } from "mailauth/lib/dkim/verify.js"
import PostalMime from "postal-mime"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { randomUUID } from "node:crypto"
import { approvedEmail, letterFrom } from "../support/Blast.ts"
import { command } from "../support/CommandLine.ts"
import { importProposed } from "../support/ImportCalls.ts"
import { callsOf, Service, tentpole, until, visit } from "../support/Service.ts"
import { FakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const people = 250

const browser = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
}

const csv = [
  "E-mail,First Name,Last Name,City,Favourite Colour",
  ...Array.from(
    { length: people },
    (_, at) => `person${at}@example.org,Ann ${at},Lee,${at % 2 === 0 ? "Rome" : "Oslo"},blue ${at}`,
  ),
].join("\r\n")

describe("the main path of a user", { tags: ["attack/unsubscribe-post"] }, () => {
  let sink: FakeSmtp
  let service: Service
  let listId = ""
  let blastId = ""
  let emailId = ""

  const send = async (method: string, path: string, body: unknown, status: number) => {
    const answer = await service.call(method, path, body)
    assert.strictEqual(answer.status, status, `${method} ${path}: ${answer.text}`)
    return answer.json
  }

  const imported = (name: string, text: string) => importProposed(callsOf(service), { name, text })

  beforeAll(async () => {
    sink = await FakeSmtp.start()
    service = await Service.prepare({ ...(await ownDatabase()), SMTP_URL: sink.url })
    await service.start()
  })
  afterAll(async () => {
    await service.remove()
    await sink.close()
  })

  it("creates, lists and gets contacts", async () => {
    const batch = await send(
      "POST",
      "/v1/contacts",
      { items: [{ email: "Ann@Example.org", first_name: "Ann" }, { first_name: "without address" }] },
      201,
    )
    assert.deepStrictEqual([batch.created_count, batch.rejected_count], [1, 1])
    const contact = await send("GET", `/v1/contacts/${batch.items[0].contact_id}`, undefined, 200)
    assert.deepStrictEqual([contact.email, contact.first_name, contact.unsubscribed], ["Ann@Example.org", "Ann", false])
    const listed = await send("GET", "/v1/contacts?limit=10", undefined, 200)
    assert.strictEqual(listed.pagination.total, 1)
  })

  it("uploads, previews and imports a CSV file with a column for a custom field", async () => {
    const field = await send(
      "POST",
      "/v1/contact-fields",
      { display_name: "Favourite Colour", api_name: "favourite_colour", value_type: "string" },
      201,
    )
    assert.strictEqual(field.items[0].api_name, "favourite_colour")
    const { targets, run } = await imported("people.csv", csv)
    assert.sameMembers([...targets], ["email", "first_name", "last_name", "city", "favourite_colour"])
    assert.deepStrictEqual(
      [run.status, run.created_count, run.updated_count, run.skipped_count, run.error_count],
      ["completed", people, 0, 0, 0],
    )
  })

  it("exports rejected rows, and imports them after a correction", async () => {
    const first = await imported("late.csv", 'E-mail,City\r\nlate at example.org,"Bern; Thun"\r\n,\r\n')
    assert.deepStrictEqual([first.run.skipped_count, first.run.error_count], [1, 1])
    const { text, headers } = await service.call("GET", `/v1/contacts/imports/${first.run.import_run_id}/export`)
    assert.strictEqual(headers.get("content-disposition"), 'attachment; filename="late-not-imported.csv"')
    const again = await imported("late-not-imported.csv", text.replace("late at ", "late@"))
    assert.deepStrictEqual([again.run.created_count, again.run.skipped_count, again.run.error_count], [1, 1, 0])
    const found = await send("GET", "/v1/contacts?email=late@example.org", undefined, 200)
    assert.strictEqual(found.items[0].city, "Bern; Thun")
  })

  it("a dynamic list contains the contacts that match its rules", async () => {
    const rules = {
      kind: "group",
      operator: "and",
      conditions: [{ kind: "condition", source: "contact", field: "city", operator: "eq", value: "rome" }],
    }
    const list = await send("POST", "/v1/contact-lists", { name: "Romans", kind: "dynamic", rules }, 201)
    assert.strictEqual(list.rules.conditions[0].operator, "equals")
    listId = list.list_id
    const count = await send("GET", `/v1/contact-lists/${listId}/member-count`, undefined, 200)
    assert.strictEqual(count.member_count, people / 2)
  })

  it("refuses to launch a blast that is not ready, and sends it after approval", async () => {
    const blast = await send("POST", "/v1/email-blasts", { name: "Spring news" }, 201)
    blastId = blast.blast_id
    await send("PUT", `/v1/email-blasts/${blastId}/audience`, { source: "existing", list_id: listId }, 200)
    const html =
      "<html><body><h1>Hello {{contact.first_name}}</h1><p>From {{contact.city}}: {{contact.custom_fields.favourite_colour|none}}</p>" +
      '<a href="https://example.com/?a=1&amp;b=2">Read</a> <a href="{{view_in_browser_url}}">View</a></body></html>'
    const withEmail = await send(
      "PUT",
      `/v1/email-blasts/${blastId}/email`,
      {
        source: "inline",
        html,
        subject: "News for {{contact.first_name}}",
        from_name: "Tentpole",
        from_address: "news@example.test",
        reply_to_email: "reply@example.test",
      },
      200,
    )
    const early = await service.call("POST", `/v1/email-blasts/${blastId}/send-now`, {})
    assert.deepStrictEqual([early.status, early.json.error_code], [400, "campaign_not_ready"])
    assert.include(early.json.approval_readiness.missing, "email_approval")
    emailId = withEmail.email.email_id
    await send("POST", `/v1/emails/${emailId}/approve`, {}, 200)
    const sending = await send("POST", `/v1/email-blasts/${blastId}/send-now`, {}, 202)
    assert.strictEqual(sending.status, "sending")
    const sent = await until("the blast to be sent", async () => {
      const each = await send("GET", `/v1/email-blasts/${blastId}`, undefined, 200)
      return each.status === "sent" && each
    })
    assert.strictEqual(sent.details.blast_sent_count, people / 2)
    assert.strictEqual(sent.details.blast_recipient_count, people / 2)
    assert.strictEqual(new Set(sink.messages.map((mail) => mail.to)).size, people / 2)
    assert.strictEqual(sink.messages.length, people / 2)
  })

  it("a message is personal, signed and tracked, and one POST unsubscribes", async () => {
    const mail = sink.messages.find((each) => each.to === "person4@example.org")
    if (mail === undefined) return assert.fail("no mail to person4")
    const parsed = await PostalMime.parse(mail.raw)
    assert.strictEqual(parsed.subject, "News for Ann 4")
    assert.include(parsed.html, "<h1>Hello Ann 4</h1>")
    assert.include(parsed.html, "From Rome: blue 4")
    assert.include(parsed.text, "Hello Ann 4")

    const records = JSON.parse(
      (await command(["domain", "verify", "example.test", "--json"], service.environment)).output,
    ).dns_records
    const dkim = records.find((each: { purpose: string }) => each.purpose === "dkim")
    const verified = await dkimVerify(Buffer.from(mail.raw, "latin1"), {
      resolver: async (name: string) => (name === dkim.name ? [[dkim.value]] : []),
    })
    assert.strictEqual(verified.results[0]?.status.result, "pass")

    const click = /href="([^"]*\/c\/[^"]*)"/.exec(parsed.html ?? "")?.[1]?.replaceAll("&amp;", "&") ?? ""
    await new Promise((resolve) => setTimeout(resolve, 2100))
    const clicked = await service.call("GET", click, undefined, browser)
    assert.strictEqual(clicked.status, 302)
    assert.strictEqual(clicked.headers.get("location"), "https://example.com/?a=1&b=2")

    const view = /href="([^"]*\/v\/[^"]*)"/.exec(parsed.html ?? "")?.[1]?.replaceAll("&amp;", "&") ?? ""
    await send("PUT", `/v1/emails/${emailId}/content`, { html: "<p>Written after the blast</p>" }, 200)
    const viewed = await service.call("GET", view, undefined, browser)
    assert.strictEqual(viewed.status, 200, viewed.text)
    assert.include(viewed.text, "<h1>Hello Ann 4</h1>")
    assert.notInclude(viewed.text, "Written after the blast")

    const unsubscribe =
      /<(https?:[^>]*)>/.exec(mail.raw.replace(/\r\n[ \t]/g, "").match(/^List-Unsubscribe: .*$/im)?.[0] ?? "")?.[1] ??
      ""
    assert.strictEqual((await service.call("GET", unsubscribe)).status, 200)
    const form = { "content-type": "application/x-www-form-urlencoded" }
    const one = await service.call("POST", unsubscribe, "List-Unsubscribe=One-Click", form)
    assert.strictEqual(one.status, 200)

    const details = await until("the click and the unsubscribe to be counted", async () => {
      const { details: each } = await send("GET", `/v1/email-blasts/${blastId}`, undefined, 200)
      return each.blast_clicked_count === 1 && each.blast_unsubscribed_count === 1 && each
    })
    assert.strictEqual(details.blast_opened_count, 1)
    const { contacts } = await send("GET", `/v1/email-blasts/${blastId}/contacts?category=unsubscribed`, undefined, 200)
    assert.deepStrictEqual(
      contacts.map((each: { email: string }) => each.email),
      ["person4@example.org"],
    )
    const found = await send("GET", "/v1/contacts?email=person4%40example.org", undefined, 200)
    assert.isTrue(found.items[0].unsubscribed)
  })

  it("the audit confirms one message for each recipient, and the recipients can be exported", async () => {
    const audited = await tentpole(["audit", "blast", blastId], service.environment)
    assert.strictEqual(audited.code, 0, audited.output)
    assert.notInclude(audited.output, "WRONG")
    assert.match(audited.output, /^ok {5}an address has one delivery/m)
    const json = JSON.parse((await command(["audit", "blast", blastId, "--json"], service.environment)).output)
    assert.isTrue(json.ok)
    const { blast_recipient_count } = (await send("GET", `/v1/email-blasts/${blastId}`, undefined, 200)).details
    const counts: ReadonlyArray<{ readonly count: number }> = json.recipients
    assert.strictEqual(
      counts.reduce((sum, { count }) => sum + count, 0),
      blast_recipient_count,
    )
    const unknownId = randomUUID()
    const unknown = await command(["audit", "blast", unknownId], service.environment)
    assert.strictEqual(unknown.code, 1)
    assert.strictEqual(unknown.output.trim(), `The workspace default has no blast ${unknownId}.`)

    const exports = `/v1/email-blasts/${blastId}/contacts/export`
    const { export_id } = await send("POST", exports, { category: "unsubscribed" }, 202)
    const { download_url, row_count } = await until("the export to be written", async () => {
      const each = await send("GET", `${exports}/${export_id}`, undefined, 200)
      return each.status === "completed" && each
    })
    assert.strictEqual(row_count, 1)
    assert.strictEqual((await visit(download_url)).text.split("\r\n").length, 3)
  })

  it("a flow sends one message to a new contact", async () => {
    const subject = "Welcome, {{contact.first_name}}"
    const html = "<p>Good to have you, {{contact.first_name}}</p>"
    const email_id = await approvedEmail(callsOf(service), letterFrom("news@example.test", { subject, html }))
    const steps = [{ type: "send_email", step_id: "greeting", email_id }]
    const triggers = [{ type: "contact_created" }]
    const flow = await send("POST", "/v1/email-flows", { name: "Greeting", triggers, steps }, 201)
    await send("POST", `/v1/email-flows/${flow.flow_id}/activate`, undefined, 200)
    await send("POST", "/v1/contacts", { items: [{ email: "zoe@example.org", first_name: "Zoe" }] }, 201)
    const member = await until("the member to be through", async () => {
      const { members } = await send("GET", `/v1/email-flows/${flow.flow_id}/members`, undefined, 200)
      return members[0]?.status === "completed" && members[0]
    })
    assert.deepInclude(member, { entry_source: "contact_created", current_step_id: null })
    const mails = sink.messages.filter(({ to }) => to === "zoe@example.org")
    assert.strictEqual(mails.length, 1)
    assert.include(mails[0]?.raw ?? "", "Subject: Welcome, Zoe")
  })

  it("generates a page, publishes it under an alias, serves it and counts a view", async () => {
    const { id } = await send(
      "POST",
      "/v1/tents",
      { name: "Spring", prompt: "A landing page for a spring bakery sale" },
      202,
    )
    await until("the page to be generated", async () => {
      const each = await send("GET", `/v1/tents/${id}`, undefined, 200)
      return each.status === "completed"
    })
    const { publication } = await send("POST", `/v1/tents/${id}/publish`, { custom_page_alias: "spring" }, 200)
    assert.strictEqual(publication.published_url, `${service.pages}/spring`)
    const page = await visit(publication.published_url, browser)
    assert.strictEqual(page.status, 200)
    assert.include(page.headers.get("content-security-policy") ?? "", "default-src 'none'")
    assert.include(page.text, "<h1")
    const analytics = await until("the view to be counted", async () => {
      const each = await send("GET", "/v1/analytics/tent?tentIdOrAlias=spring", undefined, 200)
      return each.pageviews === 1 && each
    })
    assert.strictEqual(analytics.visits, 1)
  })
})
