// Canary secrets and a canary address, and a search for them in tables, files and logs. A table that may contain the address
// says why; everywhere else it is a leak. The service itself generates the DKIM key: its canary words are read from the sealed key.
import * as Secrets from "@tentpole/adapters/crypto/Secrets"
import { Secrets as SecretsPort } from "@tentpole/core/kernel/Secrets"
import { Effect, Redacted } from "effect"
import { createPrivateKey } from "node:crypto"
import { createServer, type Server } from "node:http"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { letterFrom, startBlast } from "../support/Blast.ts"
import { answered, type Callable, listening, until } from "../support/Service.ts"

/** Set in the environment. Each secret may only reach the service that it is for. */
export const secrets = {
  "the mail server's password": "canary-mail-5f2c91b7",
  "the secret of the application": "canary-app-0f6a3c1d-77be-4d12-9a55",
  "the AI's key": "canary-ai-3d91e0aa",
}
export const address = "canary.8c41@leak.example"

/** A value of `data` of a single message. */
export const datum = "canary-data-41f0c2de"

/** Parts of a DKIM private key that identify it in plain text: lines of its PEM file, and its numbers as in a JWK. */
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
    // The first lines hold the public numbers.
    "the DKIM key's middle": lines[half] ?? "",
    "the DKIM key's end": lines.at(-1) ?? "",
    "the DKIM key's exponent": d.slice(8, 48),
    "the DKIM key's prime": p.slice(8, 48),
  }
}

/** Tables that may contain the address, with the reason. */
export const mayHoldAddress: Readonly<Record<string, string>> = {
  contact: "contacts with their identifiers",
  activity: "the timeline records imports and changes",
  delivery: "the recipient of a message",
  delivery_queue: "the recipient of a message that has not ended",
  email_message: "the header of a single message, as its sender wrote it",
  email_message_content: "the values and the body of a single message, as its sender wrote them",
  email_message_file: "the files of a single message, as its sender attached them",
  import_row: "the rows of an import with their results",
  outbox_event: "events of contacts, for consumers",
  subscription_request: "the address that a person subscribes with",
  suppression: "suppressed addresses",
  webhook_attempt: "the beginning of a receiver's answer",
  webhook_payload: "events of contacts, for receivers",
}

const hex = (word: string): string => Buffer.from(word).toString("hex")

type Ask = <Row extends object>(statement: string) => Promise<ReadonlyArray<Row>>

/** All tables of our schemas that contain the word in any column, as text or as bytes. */
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

/** All files below a folder that contain the word. */
export const filesHolding = async (folder: string, word: string): Promise<ReadonlyArray<string>> => {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const found = await Promise.all(
    files.map(async ({ name, parentPath }) => {
      const path = join(parentPath, name)
      return (await readFile(path)).includes(word) ? [path] : []
    }),
  )
  return found.flat()
}

/** An AI provider that refuses every key and repeats the key in its answer. */
export const refusingProvider = async (): Promise<{ readonly url: string; readonly server: Server }> => {
  const server = createServer((request, response) => {
    const key = `${request.headers.authorization ?? ""} ${String(request.headers["x-api-key"] ?? "")}`
    response.writeHead(401, { "content-type": "application/json" })
    response.end(
      JSON.stringify({ error: { message: `Incorrect API key provided: ${key}`, type: "invalid_request_error" } }),
    )
  })
  return { url: `http://127.0.0.1:${await listening(server)}/v1`, server }
}

/** A mail server's refusal that repeats the address. */
export const refusal = (to: string): `550 ${string}` | undefined =>
  to.startsWith("canary.") ? `550 5.1.1 <${to}>: recipient ${to} is unknown here` : undefined

type Send = (method: string, path: string, body?: unknown) => ReturnType<typeof answered>

/** Sends single messages, which say the datum, to an address that contains the canary. Returns refusals. */
const liveMessages = async (service: Callable, send: Send): Promise<ReadonlyArray<string>> => {
  const root = "/v1/email-messages"
  const text = "Set your password: {{data.link}}"
  const message = { to: { email: `x-${address}` }, subject: "Hello", text, from_address: "hello@example.test" }
  const { message_id } = await send("POST", root, { ...message, data: { link: datum }, tags: { kind: "link" } })
  await until("the message to be sent", async () => (await send("GET", `${root}/${message_id}`)).status === "sent")
  const listed = await send("GET", `${root}?to=x-${address}`)
  if (listed.email_messages.length !== 1) throw new Error("the message is not listed")
  const wrong = await service.call("POST", root, { ...message, data: { link: datum, "no key": 1 } })
  return [wrong.text]
}

/** Uses the address everywhere: creates, imports, mails and bounces it, and sends invalid requests. Returns the refusals. */
export const live = async (service: Callable): Promise<ReadonlyArray<string>> => {
  const send = (method: string, path: string, body?: unknown) => answered(service, method, path, body)
  const { items } = await send("POST", "/v1/contacts", { items: [{ email: address, first_name: "Canary" }] })
  const rows = [
    { Email: address, City: "Bern" },
    { Email: `${address} at nowhere`, City: "Bern" },
  ]
  const session = await send("POST", "/v1/contacts/imports", { source: "rows", rows })
  const at = `/v1/contacts/imports/${session.import_session_id}`
  const mappings = [{ header: "Email", target_field: "email" }]
  const { import_run_id } = await send("POST", `${at}/execute`, { mappings })
  await until(
    "the import to end",
    async () => (await send("GET", `/v1/contacts/imports/${import_run_id}`)).status === "completed",
  )
  const list = await send("POST", "/v1/contact-lists", {
    name: "Canaries",
    kind: "static",
    contact_ids: [items[0].contact_id],
  })
  const html = "<p>Hello {{contact.email}}</p>"
  const blast = await startBlast(send, list.list_id, letterFrom("hello@example.test", { html }))
  const one = `/v1/email-blasts/${blast}`
  await until("the canary to be refused", async () => {
    const { details } = await send("GET", one)
    return details.blast_bounced_count === 1
  })
  const refusals = [...(await liveMessages(service, send))]
  const letter = await send("POST", "/v1/emails", { name: "n", prompt: "A letter about chairs" })
  const generation = `/v1/emails/${letter.email_id}/generations/${letter.generation_id}`
  await until("the letter to fail", async () => (await send("GET", generation)).status === "failed")
  const invalid: ReadonlyArray<readonly [string, string, unknown?]> = [
    ["POST", "/v1/contacts", `{"items":[{"email":"${address}"`],
    ["POST", "/v1/contacts", { items: [{ email: `${address}\0` }] }],
    ["GET", `/v1/contacts?email=${address}&limit=1000`],
    ["GET", `/v1/contacts/${address}`],
    ["DELETE", `/v1/contacts/${address}/nothing`],
    ["GET", `/c/${address}`],
    ["POST", "/v1/tents", { name: "n", prompt: `Create a page for ${address}` }],
    ["GET", generation],
  ]
  for (const [method, path, body] of invalid) refusals.push((await service.call(method, path, body)).text)
  return refusals
}
