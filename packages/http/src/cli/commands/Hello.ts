// The command `tentpole hello`: creates a contact and an email, sends a test email and prints the mail.
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { setTimeout } from "node:timers/promises"
import { type OutboxMail, outboxPaths, readable, readMail } from "../OutboxFolder.ts"
import { type Remote, withClient } from "../Remote.ts"

const html = `<html><body><h1>Hello {{contact.first_name|there}}</h1>
<p>This is the first mail of your Tentpole.</p></body></html>`

const wait_ms_max = 30_000

/** The first mail to the address that is not among the earlier ones. */
const arrived = async ({ config }: Remote, to: string, earlier: ReadonlySet<string>): Promise<OutboxMail> => {
  const end = Date.now() + wait_ms_max
  for (;;) {
    const paths = await outboxPaths(config)
    const mails = await Promise.all(paths.filter((path) => !earlier.has(path)).map(readMail))
    const found = mails.find((mail) => mail.to.toLowerCase() === to.toLowerCase())
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`No mail to ${to} was written to ${config.dataDir}/outbox.`)
    await setTimeout(100)
  }
}

export const hello = Command.make(
  "hello",
  { address: Argument.String("address").pipe(Argument.withDescription("Address of the recipient")) },
  ({ address }) =>
    withClient(async (client, remote) => {
      const earlier = new Set(await outboxPaths(remote.config))
      const { items } = await client.contacts.upsert({ payload: { items: [{ email: address }] } })
      const [contact] = items
      if (contact === undefined || contact.status === "rejected") {
        throw new Error(`${address} was rejected: ${contact?.message}`)
      }
      const { email_id } = await client.emails.create({
        payload: {
          name: "First mail",
          html,
          subject: "Hello from Tentpole",
          from_name: "Tentpole",
          from_address: "hello@example.test",
          reply_to_email: "hello@example.test",
        },
      })
      await client.emails.testSend({
        params: { emailId: email_id },
        payload: { to: [address], contact_id: contact.contact_id },
      })
      return remote.config.smtpUrl === null
        ? readable(await arrived(remote, address, earlier))
        : `A test email to ${address} is on its way to the mail server.`
    }).pipe(Effect.flatMap(Console.log)),
).pipe(Command.withDescription("Sends a first mail to an address and prints it"))
