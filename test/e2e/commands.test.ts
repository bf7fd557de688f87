// Tests of the commands of daily work on one new service: contacts, lists, blasts, pages, and the exit codes.
import type { Screen } from "@tentpole/http/cli/Screen"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { approvedEmail, letterFrom } from "../support/Blast.ts"
import { command } from "../support/CommandLine.ts"
import { FakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { freePort } from "@tentpole/adapters/test/FreePort"
import { answered, callsOf, Service, tentpole, visit } from "../support/Service.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

/** A terminal that gives these answers. */
const terminal = (...answers: ReadonlyArray<string>) => {
  const drawn: Array<string> = []
  const asked: Array<string> = []
  const screen: Screen = {
    showsProgress: true,
    canAsk: true,
    columns: 100,
    draw: (line) => void drawn.push(line),
    ask: async (question) => answers[asked.push(question) - 1] ?? "",
  }
  return { screen, drawn, asked }
}

const csv = [
  "E-mail,First Name,Shoe size",
  ...Array.from({ length: 40 }, (_, at) => `person${at}@example.test,Ann ${at},38`),
  "not an address,Ben,44",
].join("\r\n")

describe("commands of daily work", () => {
  let sink: FakeSmtp
  let service: Service
  let folder: string
  let file: string
  const run = (...args: ReadonlyArray<string>) => command(args, service.environment)
  const json = async (...args: ReadonlyArray<string>) => {
    const { code, output } = await run(...args, "--json")
    assert.strictEqual(code, 0, output)
    return JSON.parse(output)
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tentpole-commands-"))
    file = join(folder, "people.csv")
    await writeFile(file, csv)
    sink = await FakeSmtp.start()
    service = await Service.prepare({ ...(await ownDatabase()), SMTP_URL: sink.url })
    await service.start()
  })
  afterAll(async () => {
    await service.remove()
    await sink.close()
    await rm(folder, { recursive: true, force: true })
  })

  it("`contact import` shows the mapping, and imports nothing if the answer is no", async () => {
    const { asked, screen } = terminal("n")
    const { code, output } = await command(["contact", "import", file], service.environment, { screen })
    assert.strictEqual(code, 0, output)
    assert.match(output, /^E-mail +email +person0@example\.test/m)
    assert.match(output, /^Shoe size +\(not imported\) +38/m)
    assert.include(output, "Nothing was imported.")
    assert.deepStrictEqual(asked, [`Import ${file}? [y/N] `])
    assert.deepStrictEqual(await json("contact", "list"), [])
    assert.deepStrictEqual(await readdir(folder), ["people.csv"])
  })

  it("`contact import` adds to a list, draws its progress, and saves the rejected rows beside the file", async () => {
    assert.strictEqual((await run("list", "create", "Readers")).code, 0)
    const { drawn, screen } = terminal("y")
    const args = ["contact", "import", file, "--list", "readers"]
    const { code, output } = await command(args, service.environment, { screen })
    assert.strictEqual(code, 0, output)
    assert.match(output, /^created +40\nupdated +0\nskipped +0\nfailed +1\nrows +41$/m)
    const rejected = join(folder, "people-not-imported.csv")
    assert.include(output, rejected)
    assert.match(await readFile(rejected, "utf8"), /"not an address","Ben",.*must be an email address/)
    assert.include(drawn.at(-2) ?? "", "41 of 41")
    assert.strictEqual(drawn.at(-1), "", "the line of progress is removed")
    assert.strictEqual((await json("list", "get", "Readers")).member_count, 40)
  })

  it("`contact import` overwrites no file, and prints the run as JSON", async () => {
    const again = await json("contact", "import", file, "--yes", "--duplicates", "skip")
    assert.deepInclude(again, { status: "completed", skipped_count: 40, error_count: 1 })
    assert.strictEqual(again.rejected_rows_file, join(folder, "people-not-imported-2.csv"))
    const chosen = join(folder, "chosen.csv")
    const third = await json("contact", "import", file, "--yes", "--rejected", chosen)
    assert.strictEqual(third.rejected_rows_file, chosen)
    assert.include(await readFile(chosen, "utf8"), "not an address")
  })

  it("`contact import --create-fields` creates a field for each column that has none, once the import is confirmed", async () => {
    const { screen } = terminal("n")
    const args = ["contact", "import", file, "--create-fields"]
    const { output } = await command(args, service.environment, { screen })
    assert.match(output, /^Shoe size +shoe_size +38 .*New number field$/m)
    const fields = async () => JSON.parse((await run("api", "GET", "/v1/contact-fields")).output).items.length
    assert.strictEqual(await fields(), 0)
    const { code } = await run(...args, "--yes")
    assert.strictEqual(code, 0)
    assert.strictEqual(await fields(), 1)
    const person = await json("contact", "get", "person0@example.test")
    assert.deepStrictEqual(person.custom_fields, { shoe_size: 38 })
  })

  const shop = [
    "E-mail,Joined,Spend,Renewal,City",
    'mia@example.test,17.05.1990,"€ 1.234,50",01/02/2030,Rome',
    'leo@example.test,3.6.2001,"€ 99",03/04/2030,Oslo',
    "tom@example.test,never,€ 7,05/06/2030,Oslo",
  ].join("\r\n")
  const shopFields = [
    { display_name: "Joined", api_name: "joined", value_type: "date" },
    { display_name: "Spend", api_name: "spend", value_type: "number" },
    { display_name: "Renewal", api_name: "renewal", value_type: "date" },
  ]

  it("`contact import` reads dates and amounts as the preview proposes them, and rejects a cell or its row", async () => {
    await answered(service, "POST", "/v1/contact-fields", { items: shopFields })
    const path = join(folder, "shop.csv")
    await writeFile(path, shop)
    const args = ["contact", "import", path, "--yes", "--date-format", "DD/MM/YYYY"]
    const rows = await json(...args)
    assert.deepInclude(rows, { created_count: 2, error_count: 1, warning_count: 0 })
    assert.deepInclude((await json("contact", "get", "mia@example.test")).custom_fields, {
      joined: "1990-05-17",
      spend: 1234.5,
      renewal: "2030-02-01",
    })
    const { code, output } = await run(...args, "--set", "city=Bern", "--on-invalid-cell", "skip_cell")
    assert.strictEqual(code, 0, output)
    assert.match(output, /^E-mail +email +mia@example\.test {2,}The header/m)
    assert.match(output, /^Joined +joined +17\.05\.1990 +DD\.MM\.YYYY +The header/m)
    assert.match(output, /^Spend +spend +€ 1\.234,50 +decimal , € +The header/m)
    assert.match(
      output,
      /^Renewal +renewal +01\/02\/2030 +DD\/MM\/YYYY +.* DD\/MM\/YYYY or MM\/DD\/YYYY: set date_format$/m,
    )
    assert.match(output, /^City +\(not imported\) +Rome +--set replaces it$/m)
    assert.match(output, /^\(every row\) +city +Bern +--set$/m)
    assert.match(output, /^created +1\nupdated +2\nskipped +0\nfailed +0\nwarnings +1\nrows +3$/m)
    const left = join(folder, "shop-not-imported-2.csv")
    assert.include(output, `1 row imported without an invalid cell, with the reasons: ${left}.`)
    assert.match(await readFile(left, "utf8"), /"tom@example\.test","never".*"created"/)
    assert.deepInclude(await json("contact", "get", "tom@example.test"), { city: "Bern" })
  })

  it("`suppression import` suppresses the addresses of another tool's file, and leaves its subscribers alone", async () => {
    const exported = join(folder, "subscribers.csv")
    const rows = ["1,person7@example.test,Ann,blocklisted", "2,person8@example.test,Ben,enabled", "3,new@x.test,New,?"]
    await writeFile(exported, `uuid,email,name,status\n${rows.join("\n")}\n`)
    const first = await json("suppression", "import", exported)
    assert.deepInclude(first, { as: "suppressions", created_count: 1, skipped_count: 1, error_count: 1 })
    const { code, output } = await run("suppression", "import", exported, "--reason", "unsubscribed")
    assert.strictEqual(code, 0, output)
    assert.match(output, /^created +1\nupdated +0\nskipped +2\nfailed +0\nrows +3$/m)
    const { suppressions } = await answered(service, "GET", "/v1/suppressions")
    assert.sameDeepMembers(
      suppressions.map((each: { email: string; reason: string }) => [each.email, each.reason]),
      [
        ["person7@example.test", "manual"],
        ["new@x.test", "unsubscribe"],
      ],
    )
    assert.match((await run("suppression", "list")).output, /^new@x\.test +unsubscribe /m)
    assert.strictEqual((await run("suppression", "remove", "person7@example.test")).code, 0)
    assert.strictEqual((await run("suppression", "remove", "new@x.test")).code, 0)
  })

  it("`contact get` and the listings print the API's objects as JSON, and tables for people", async () => {
    const api = await answered(service, "GET", "/v1/contacts?email=person7@example.test")
    const [contact] = api.items
    assert.deepStrictEqual(await json("contact", "get", "person7@example.test"), contact)
    assert.deepStrictEqual(await json("contact", "get", contact.contact_id), contact)
    assert.strictEqual((await json("contact", "list", "--limit", "30")).length, 30)
    assert.deepStrictEqual(
      (await json("list", "members", "Readers", "--limit", "100")).map((each: { email: string }) => each.email).sort(),
      Array.from({ length: 40 }, (_, at) => `person${at}@example.test`).sort(),
    )
    const table = (await run("contact", "list", "--search", "person7@", "--limit", "1")).output.split("\n")
    assert.match(table[0] ?? "", /^contact_id +email +name/)
    assert.match(table[1] ?? "", /^[0-9a-f-]{36} {2}person7@example\.test {2}Ann 7$/)
    assert.strictEqual(table[2], "1 of 1 contact.")
  })

  it("`list create --rules` creates a dynamic list from a file", async () => {
    const rules = join(folder, "rules.json")
    const condition = { kind: "condition", source: "contact", field: "firstName", operator: "equals", value: "ann 3" }
    await writeFile(rules, JSON.stringify(condition))
    assert.strictEqual((await json("list", "create", "Annes", "--rules", `@${rules}`)).kind, "dynamic")
    assert.strictEqual((await json("list", "get", "annes")).member_count, 1)
    const names = (await json("list", "list")).map(({ name }: { readonly name: string }) => name)
    assert.includeMembers(names, ["Annes", "Readers"])
  })

  const draft = async (name: string, to = "Readers") => {
    const call = callsOf(service)
    const [{ blast_id }, list] = [await call("POST", "/v1/email-blasts", { name }), await json("list", "get", to)]
    const email_id = await approvedEmail(
      call,
      letterFrom("news@example.test", { subject: name, html: `<p>${name}</p>` }),
    )
    await call("PUT", `/v1/email-blasts/${blast_id}/audience`, { source: "existing", list_id: list.list_id })
    await call("PUT", `/v1/email-blasts/${blast_id}/email`, { source: "existing", email_id })
    return blast_id
  }

  it("`blast send --watch` shows the plan, asks, draws the progress and prints the counts", async () => {
    await draft("Spring")
    const no = terminal("")
    const refused = await command(["blast", "send", "spring"], service.environment, { screen: no.screen })
    assert.match(refused.output, /get the message +40 contacts/)
    assert.deepStrictEqual(no.asked, ["Send to 40 contacts now? [y/N] "])
    assert.strictEqual((await json("blast", "status", "Spring")).status, "draft")

    const yes = terminal("yes")
    const sent = await command(["blast", "send", "Spring", "--watch"], service.environment, { screen: yes.screen })
    assert.strictEqual(sent.code, 0, sent.output)
    assert.match(sent.output, /^recipients +40\nsent +40\nfailed +0$/m)
    assert.include(yes.drawn.at(-2) ?? "", "Sending  [####################]  40 of 40")
    assert.match((await run("blast", "list")).output, / Spring +sent +40 +40$/m)
  })

  it("a watch ends when only deferred recipients remain, and says where and until when they wait", async () => {
    const grey = join(folder, "grey.csv")
    await writeFile(grey, "E-mail\r\ngina-rcpt450@gmx.test\r\ngeorge@example.test\r\n")
    await run("list", "create", "Grey")
    await json("contact", "import", grey, "--list", "Grey", "--yes")
    const blastId = await draft("Grey", "Grey")
    const { drawn, screen } = terminal()
    const watching = ["blast", "send", "Grey", "--yes", "--watch"]
    const { code, output } = await command(watching, service.environment, { screen })
    assert.strictEqual(code, 0, output)
    assert.match(
      output,
      /^recipients +2\nqueued +1\ndeferred +1\nwaiting +1 waiting for gmx\.test, next attempt (\d+ \w+, )?\d\d:\d\d$/m,
    )
    assert.match(output, /^nothing is sent +mail servers refused the remaining recipients for now$/m)
    assert.match(
      output,
      new RegExp(
        `^1 waiting for gmx\\.test, next attempt (\\d+ \\w+, )?\\d\\d:\\d\\d\\. .*\`tentpole blast status ${blastId}\``,
        "m",
      ),
    )
    assert.match(drawn.at(-2) ?? "", /1 of 2 .* 1 deferred, next attempt (\d+ \w+, )?\d\d:\d\d$/)
    const { progress, status } = await json("blast", "status", "Grey")
    assert.deepInclude(progress, { queued: 1, deferred: 1, sent: 1, stalled: "refused" })
    assert.strictEqual(status, "sending")
  })

  it("Ctrl-C ends the watch and not the blast, and the exit code is 130", async () => {
    const blastId = await draft("Later")
    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString()
    await answered(service, "POST", `/v1/email-blasts/${blastId}/schedule`, { scheduled_at })
    const stop = new AbortController()
    const { drawn, screen } = terminal()
    const watching = { ...screen, draw: (line: string) => (screen.draw(line), stop.abort()) }
    const ended = await command(["blast", "status", "Later", "--watch"], service.environment, {
      screen: watching,
      signal: stop.signal,
    })
    assert.strictEqual(ended.code, 130, ended.output)
    assert.include(drawn[0] ?? "", "Scheduled for")
    assert.include(ended.output, `The blast continues: \`tentpole blast status ${blastId} --watch\`.`)
    assert.strictEqual((await json("blast", "status", blastId)).status, "scheduled")
  })

  it("a watched blast that is cancelled fails the command", async () => {
    await answered(service, "POST", `/v1/email-blasts/${(await json("blast", "status", "Later")).blast_id}/cancel`)
    const { code, output } = await run("blast", "status", "Later", "--watch")
    assert.strictEqual(code, 1)
    assert.include(output, "its status is cancelled")
  })

  it("`tent create` prints the address of a published page, and says so where no browser is", async () => {
    const prompt = "A landing page for a spring bakery sale, with a sign-up form"
    const printed = await tentpole(["tent", "create", "--prompt", prompt, "--alias", "spring"], service.environment)
    assert.deepStrictEqual(printed, { code: 0, output: `${service.pages}/spring\n` })
    assert.strictEqual((await visit(printed.output.trim())).status, 200)
    const opened = await run("tent", "create", "--prompt", prompt, "--name", "Second", "--open", "--json")
    assert.strictEqual(opened.code, 0, opened.output)
    assert.include(opened.output, '"name": "Second"')
    if (process.platform === "linux") assert.match(opened.output, /No program to open http\S+ was found\./)
  })

  it("`domain create` points out local names, and `domain verify` fails unless the domain is verified", async () => {
    const created = await run("domain", "create", "mail.command.test")
    assert.strictEqual(created.code, 0, created.output)
    assert.include(created.output, "Warning: mail.command.test is a local name")
    assert.include(created.output, "Warning: localhost in the records is a local host: set PUBLIC_PAGES_URL")
    const verified = await run("domain", "verify", "mail.command.test")
    assert.strictEqual(verified.code, 0, verified.output)
    assert.match(verified.output, /^DNS +not looked up: the name is reserved for tests$/m)
    await run("domain", "create", "mail.local")
    // With name servers it is not verified, without any it is unknown.
    const failed = await run("domain", "verify", "mail.local")
    assert.strictEqual(failed.code, 1, failed.output)
    assert.match(failed.output, /mail\.local is not verified: set the DKIM record|DNS of mail\.local/)
  })

  it("a wrong use ends with 2 and a refusal with 1, each with one line", async () => {
    const cases = [
      [2, ["contact", "import", file], "There is no terminal to ask for a confirmation: add --yes."],
      [2, ["blast", "send", "Spring"], "There is no terminal to ask for a confirmation: add --yes."],
      [2, ["list", "members"], "Missing required argument: list."],
      [2, ["contact", "list", "--limit", "0"], "Expected a number from 1"],
      [2, ["contact", "import", file, "--set", "city"], "Expected format: key=value"],
      [1, ["contact", "import", "/nowhere.csv", "--yes"], "/nowhere.csv can't be read"],
      [1, ["contact", "import", file, "--yes", "--list", "Annes"], "Annes is a dynamic list."],
      [1, ["list", "get", "Nobody"], "No list has the name Nobody. `tentpole list list` shows all."],
      [1, ["contact", "get", "ann@nowhere.test"], "No contact has the email address"],
      [1, ["list", "create", "Readers"], "Readers"],
    ] as const
    for (const [expected, args, sentence] of cases) {
      const { code, output } = await run(...args)
      assert.strictEqual(code, expected, output)
      assert.include(output, sentence)
      assert.strictEqual(output.trim().split("\n").length, 1, output)
    }
    const process_ = await tentpole(["contact", "import"], service.environment)
    assert.strictEqual(process_.code, 2, process_.output)
    const away = { ...service.environment, PORT: String(await freePort()) }
    const unreachable = await command(["contact", "list"], away)
    assert.strictEqual(unreachable.code, 1)
    assert.match(
      unreachable.output,
      /^No answer from .* Run `npm start` in another terminal, or set PUBLIC_API_URL\.\n$/,
    )
  })
})
