// Sends the samples through the API of a service to a mail server that stores every byte. Includes the DNS records of the
// service's domains.
import { command } from "../support/CommandLine.ts"
import { answered, Service, until } from "../support/Service.ts"
import { FakeSmtp, type Message } from "@tentpole/adapters/test/FakeSmtp"
import { type Sample, samples, senderDomains } from "./Samples.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

export interface SentSample {
  readonly sample: Sample
  /** The envelope: MAIL FROM, RCPT TO. */
  readonly from: string
  readonly to: string
  readonly raw: Buffer
}

export interface Outbox {
  readonly sent: ReadonlyArray<SentSample>
  /** TXT records by name, as `domain verify` shows them. */
  readonly txt: ReadonlyMap<string, string>
  readonly service: Service
  readonly close: () => Promise<void>
}

/** The origin of pages and unsubscribe links; https as in production. */
const publicPagesUrl = "https://pages.example.test"

interface ShownRecord {
  readonly type: string
  readonly name: string
  readonly value: string
}

const domainCommand = async (service: Service, ...args: ReadonlyArray<string>) => {
  const { code, output } = await command(["domain", ...args, "--json"], service.environment)
  if (code !== 0) throw new Error(`tentpole domain ${args.join(" ")} ended with ${code}: ${output}`)
  const shown: { readonly dns_records: ReadonlyArray<ShownRecord> } = JSON.parse(output)
  return shown.dns_records
}

/** Verifies the domains; returns their records. */
const txtRecords = async (service: Service): Promise<ReadonlyMap<string, string>> => {
  const [first, ...others] = senderDomains
  const all = [...(await domainCommand(service, "verify", first))]
  for (const name of others) {
    all.push(...(await domainCommand(service, "create", name)))
    await domainCommand(service, "verify", name)
  }
  return new Map(all.flatMap(({ name, type, value }) => (type === "TXT" ? [[name, value] as const] : [])))
}

/** Writes the email, and sends it to its recipient. */
const send = async (service: Service, { contact, kind, ...email }: Sample): Promise<void> => {
  const call = (method: string, path: string, body: unknown) => answered(service, method, path, body)
  const { email_id } = await call("POST", "/v1/emails", {
    name: email.name,
    html: email.html,
    subject: email.subject,
    from_name: email.from_name,
    from_address: email.from_address,
    reply_to_email: email.from_address,
  })
  const [{ contact_id }] = (await call("POST", "/v1/contacts/upsert", { items: [contact] })).items
  if (kind === "test") {
    await call("POST", `/v1/emails/${email_id}/test-send`, { to: [contact.email], contact_id })
    return
  }
  await call("POST", `/v1/emails/${email_id}/approve`, {})
  const { blast_id } = await call("POST", "/v1/email-blasts", { name: email.name })
  const audience = { source: "inline", kind: "static", contact_ids: [contact_id] }
  await call("PUT", `/v1/email-blasts/${blast_id}/audience`, audience)
  await call("PUT", `/v1/email-blasts/${blast_id}/email`, { source: "existing", email_id })
  await call("POST", `/v1/email-blasts/${blast_id}/send-now`, { operational: kind === "operational" })
}

/** The only message to the sample's recipient. */
const asSent = (sample: Sample, mails: ReadonlyArray<Message>): SentSample => {
  const [mail, ...others] = mails.filter(({ to }) => Buffer.from(to, "latin1").toString("utf8") === sample.wireTo)
  if (mail === undefined || others.length > 0) throw new Error(`${others.length + 1} messages to ${sample.wireTo}`)
  return { sample, from: mail.from, to: sample.wireTo, raw: Buffer.from(mail.raw, "latin1") }
}

export const sendSamples = async (): Promise<Outbox> => {
  const sink = await FakeSmtp.start()
  const service = await Service.prepare({
    ...(await ownDatabase()),
    SMTP_URL: sink.url,
    PUBLIC_PAGES_URL: publicPagesUrl,
  })
  const close = async () => {
    await service.remove()
    await sink.close()
  }
  try {
    await service.start()
    const txt = await txtRecords(service)
    await Promise.all(samples.map((sample) => send(service, sample)))
    await until("every sample to be sent", async () => sink.messages.length >= samples.length, { within_ms: 60_000 })
    const sent = samples.map((sample) => asSent(sample, sink.messages))
    return { sent, txt, service, close }
  } catch (error) {
    await close()
    throw error
  }
}
