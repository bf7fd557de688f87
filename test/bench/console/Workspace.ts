// A workspace as large as a company's after years, with a console and a signed-in browser: contacts, lists and blasts.
import { runningUrl } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect, Redacted } from "effect"
import { join } from "node:path"
import { Console } from "../../browser/console/Console.ts"
import { approvedEmail, letterFrom } from "../../support/Blast.ts"
import { statement } from "../../support/Owner.ts"
import { type Call, callsOf, until } from "../../support/Service.ts"
import { fillWorkspace } from "../audience/LargeWorkspace.ts"
import type { Bench } from "../Benchmark.ts"

const letter = "<html><body><h1>Spring sale</h1><p>Hello {{contact.first_name|you}}</p></body></html>"

/** A blast that was sent to a few contacts. */
const sentBlast = async (call: Call): Promise<string> => {
  const items = ["ann", "bob", "eva"].map((name) => ({ email: `${name}@reader.test` }))
  const created = await call("POST", "/v1/contacts", { items })
  const contact_ids = created.items.map(({ contact_id }: { readonly contact_id: string }) => contact_id)
  const { list_id } = await call("POST", "/v1/contact-lists", { name: "Readers", kind: "static", contact_ids })
  const email_id = await approvedEmail(call, letterFrom("news@example.test", { subject: "Spring", html: letter }))
  const { blast_id } = await call("POST", "/v1/email-blasts", { name: "Blast 0" })
  await call("PUT", `/v1/email-blasts/${blast_id}/audience`, { source: "existing", list_id })
  await call("PUT", `/v1/email-blasts/${blast_id}/email`, { source: "existing", email_id })
  await call("POST", `/v1/email-blasts/${blast_id}/send-now`, {})
  await until("the blast", async () => (await call("GET", `/v1/email-blasts/${blast_id}`)).status === "sent")
  return blast_id
}

/** Copies a row with other values, each as SQL of the number `n`. */
const copies = (table: string, where: string, count: number, values: Readonly<Record<string, string>>): string => `
  insert into ${table} select (jsonb_populate_record(r, jsonb_build_object(
    ${Object.entries(values)
      .map(([name, value]) => `'${name}', ${value}`)
      .join(", ")}))).*
  from ${table} as r, generate_series(1, ${count}) as n where ${where}`

/** A UUID of version 4. */
const idOf = (table: string): string =>
  `overlay(overlay(md5('${table}' || n) placing '4' from 13) placing '8' from 17)::uuid`
const agesOf = "r.created_at - n * interval '1 hour'"

/** Starts the service and fills it. Null if there is no browser. */
export const filledConsole = async ({ ending, quick, report }: Bench): Promise<Console | null> => {
  const console_ = await Console.start()
  if (console_ === null) return null
  await ending.with(() => console_.close())
  const { service } = console_
  const call = callsOf(service)
  const url = await Effect.runPromise(runningUrl(join(service.environment["DATA_DIR"] ?? "", "database")))
  if (url === null) throw new Error("the service has no database of its own")
  const workspace = WorkspaceId.make((await call("GET", "/v1/workspace")).workspace_id)
  const blastId = await sentBlast(call)
  const [contacts_count, lists_count, blasts_count] = quick ? [50_000, 500, 50] : [1_000_000, 10_000, 1_000]
  const { lists } = await fillWorkspace({ call, contacts_count, databaseUrl: Redacted.value(url), workspace, report })
  report.fact("besides", `${lists_count.toLocaleString("en-US")} lists, ${blasts_count.toLocaleString("en-US")} blasts`)
  for (const text of [
    copies("list", `r.list_id = '${lists.hundredth}'`, lists_count, {
      list_id: idOf("list"),
      name: "'List ' || n",
      name_folded: "'list ' || n",
      slug: "'list-' || n",
      member_count: "0",
      created_at: agesOf,
    }),
    copies("blast", `r.blast_id = '${blastId}'`, blasts_count, {
      blast_id: idOf("blast"),
      name: "'Blast ' || n",
      name_folded: "'blast ' || n",
      created_at: agesOf,
    }),
    copies("delivery_tally", `r.blast_id = '${blastId}'`, blasts_count, { blast_id: idOf("blast") }),
    "analyze list, blast, delivery_tally",
  ]) {
    await statement(url, text)
  }
  return console_
}
