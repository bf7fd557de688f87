// Words that nobody could write by chance, given to the service as its secrets and as somebody's address; and where they are
// found afterwards. What may hold which says why: everywhere else they are a leak. The key that mail is signed with the service
// makes itself: its words are read out of where it lies sealed.
import * as Secrets from "@tentpole/adapters/crypto/Secrets"
import { Secrets as SecretsPort } from "@tentpole/core/kernel/Secrets"
import { Effect, Redacted } from "effect"
import { createPrivateKey } from "node:crypto"
import { createServer, type Server } from "node:http"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { answered, type Callable, until } from "../support/Service.ts"

/** Given by the environment; nothing of these leaves the process but to whom they are for. */
export const secrets = {
  "the mail server's password": "canary-mail-5f2c91b7",
  "the secret of the application": "canary-app-0f6a3c1d-77be-4d12-9a55",
  "the AI's key": "canary-ai-3d91e0aa",
}
export const address = "canary.8c41@leak.example"

/** What a key for DKIM would be known by wherever it lay open: lines of its file, and its numbers as they stand in a JWK. */
export const wordsOfSealed = async (sealed: Uint8Array): Promise<Readonly<Record<string, string>>> => {
  const secret = Redacted.make(secrets["the secret of the application"])
  const opened = await Effect.runPromise(
    Effect.flatMap(SecretsPort, ({ open }) => open("dkim", sealed)).pipe(
      Effect.provide(Secrets.layer({ secret, previous: null })),
    ),
  )
  const pem = Buffer.from(opened).toString("utf8")
  const lines = pem.split("\n").filter((line) => line.length === 64)
  const { d = "", p = "" } = createPrivateKey(pem).export({ format: "jwk" })
  const half = Math.floor(lines.length / 2)
  return {
    // The lines before hold the public numbers.
    "the DKIM key's middle": lines[half] ?? "",
    "the DKIM key's end": lines.at(-1) ?? "",
    "the DKIM key's exponent": d.slice(8, 48),
    "the DKIM key's prime": p.slice(8, 48),
  }
}

/** Tables that hold addresses, because they are what the service is for or what it owes to who asks. */
export const mayHoldAddress: Readonly<Record<string, string>> = {
  contact: "people, with what they are known by",
  activity: "a timeline says what was imported and changed",
  delivery: "whom a message went to",
  import_row: "what became of each row, and whom it found",
  outbox_event: "news of people, to be handed to whoever listens",
  suppression: "whom not to write to any more",
}

const hex = (word: string): string => Buffer.from(word).toString("hex")

type Ask = <Row extends object>(statement: string) => Promise<ReadonlyArray<Row>>

/** The tables of every schema of ours that hold the word in any column, as text or as bytes. */
export const tablesHolding = async (ask: Ask, word: string): Promise<ReadonlyArray<string>> => {
  const tables = await ask<{ readonly at: string }>(`select n.nspname || '.' || c.relname as at
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' order by 1`)
  const looks = tables.map(
    ({ at }) => `select '${at}' as at where exists (
      select from ${at} t where t::text ilike '%${word}%' or t::text like '%${hex(word)}%')`,
  )
  return (await ask<{ readonly at: string }>(looks.join(" union all "))).map(({ at }) => at)
}

/** The files of a folder, however deep, that hold the word. */
export const filesHolding = async (folder: string, word: string): Promise<ReadonlyArray<string>> => {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const held = await Promise.all(
    files.map(async ({ name, parentPath }) => {
      const path = join(parentPath, name)
      return (await readFile(path)).includes(word) ? [path] : []
    }),
  )
  return held.flat()
}

/** A provider of AI that refuses every key, and repeats the one that it refuses. */
export const refusingProvider = async (): Promise<{ readonly url: string; readonly server: Server }> => {
  const server = createServer((request, response) => {
    const key = `${request.headers.authorization ?? ""} ${String(request.headers["x-api-key"] ?? "")}`
    response.writeHead(401, { "content-type": "application/json" })
    response.end(
      JSON.stringify({ error: { message: `Incorrect API key provided: ${key}`, type: "invalid_request_error" } }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  return { url: `http://127.0.0.1:${port}/v1`, server }
}

/** A mail server's refusal that repeats whom it refuses. */
export const refusal = (to: string): `550 ${string}` | undefined =>
  to.startsWith("canary.") ? `550 5.1.1 <${to}>: recipient ${to} is unknown here` : undefined

/** The life of somebody: made, imported, written to, bounced, asked for in every wrong way. Answers what refusals said. */
export const live = async (service: Callable): Promise<ReadonlyArray<string>> => {
  const made = (method: string, path: string, body?: unknown) => answered(service, method, path, body)
  const { items } = await made("POST", "/v1/contacts", { items: [{ email: address, first_name: "Canary" }] })
  const rows = [
    { Email: address, City: "Bern" },
    { Email: `${address} at nowhere`, City: "Bern" },
  ]
  const session = await made("POST", "/v1/contacts/imports", { source: "rows", rows })
  const at = `/v1/contacts/imports/${session.import_session_id}`
  const mappings = [{ header: "Email", target_field: "email" }]
  const { import_run_id } = await made("POST", `${at}/execute`, { mappings })
  await until(
    "the import to end",
    async () => (await made("GET", `/v1/contacts/imports/${import_run_id}`)).status === "completed",
  )
  const list = await made("POST", "/v1/contact-lists", {
    name: "Canaries",
    kind: "static",
    contact_ids: [items[0].contact_id],
  })
  const blast = await made("POST", "/v1/email-blasts", { name: "To the canary" })
  const one = `/v1/email-blasts/${blast.blast_id}`
  await made("PUT", `${one}/audience`, { source: "existing", list_id: list.list_id })
  const { email } = await made("PUT", `${one}/email`, {
    source: "inline",
    html: "<p>Hello {{contact.email}}</p>",
    subject: "Hello",
    from_name: "Tentpole",
    from_address: "hello@example.test",
    reply_to_email: "hello@example.test",
  })
  await made("POST", `/v1/emails/${email.email_id}/approve`, {})
  await made("POST", `${one}/send-now`, {})
  await until("the canary to be refused", async () => {
    const { details } = await made("GET", one)
    return details.blast_bounced_count === 1
  })
  const letter = await made("POST", "/v1/emails", { name: "n", prompt: "A letter about chairs" })
  const generation = `/v1/emails/${letter.email_id}/generations/${letter.generation_id}`
  await until("the letter to fail", async () => (await made("GET", generation)).status === "failed")
  const asked: ReadonlyArray<readonly [string, string, unknown?]> = [
    ["POST", "/v1/contacts", `{"items":[{"email":"${address}"`],
    ["POST", "/v1/contacts", { items: [{ email: `${address}\0` }] }],
    ["GET", `/v1/contacts?email=${address}&limit=1000`],
    ["GET", `/v1/contacts/${address}`],
    ["DELETE", `/v1/contacts/${address}/nothing`],
    ["GET", `/c/${address}`],
    ["POST", "/v1/tents", { name: "n", prompt: `Create a page for ${address}` }],
    ["GET", generation],
  ]
  const refusals: Array<string> = []
  for (const [method, path, body] of asked) refusals.push((await service.call(method, path, body)).text)
  return refusals
}
