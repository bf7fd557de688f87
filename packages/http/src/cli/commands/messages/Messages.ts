// The commands `tentpole message …`: single messages.
import type { Client, EmailMessage } from "@tentpole/client"
import { Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { callCommand } from "../../Answers.ts"
import { commandGroup } from "../../Output.ts"
import { fieldsOf, tableOf } from "../../Table.ts"

const textFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const messageText = (message: EmailMessage): string =>
  fieldsOf({
    message_id: message.message_id,
    status: message.status,
    reason: message.reason,
    to: message.to.email,
    subject: message.subject,
    from_address: message.from_address,
    scheduled_at: message.scheduled_at,
    expires_at: message.expires_at,
    attempts: message.attempts,
    tags: Object.entries(message.tags)
      .map(([name, value]) => `${name}:${value}`)
      .join(", "),
    attachments: message.attachments.map(({ file_name }) => file_name).join(", "),
    created_at: message.created_at,
  })

/** The fields of the body that a command names. */
const given = <const Name extends string>(
  flags: Readonly<Record<Name, Option.Option<string>>>,
): Partial<Record<Name, string>> =>
  Object.fromEntries(
    Object.entries<Option.Option<string>>(flags).flatMap(([name, flag]) =>
      Option.isSome(flag) ? [[name, flag.value]] : [],
    ),
  ) as Partial<Record<Name, string>>

/** The JSON object of the flag `--data`. */
const dataOf = (text: string): Record<string, unknown> => {
  try {
    const data: unknown = JSON.parse(text)
    if (typeof data === "object" && data !== null && !Array.isArray(data)) return { ...data }
  } catch {
    // Reported below: the parser's message would repeat the data.
  }
  throw new Error(`--data must be a JSON object, such as '{"order": {"id": 17}}'.`)
}

const send = callCommand(
  "send",
  "Sends a message to one address",
  {
    to: Argument.String("to").pipe(Argument.withDescription("Address of the recipient")),
    email: textFlag("email", "Id of an approved email"),
    template: textFlag("template", "Id of an approved email template"),
    html: Flag.FileText("html").pipe(Flag.withDescription("File with the HTML"), Flag.optional),
    text: textFlag("text", "Plain text"),
    subject: textFlag("subject", "Subject. Default: that of the email"),
    from: textFlag("from", "Sender address. Default: that of the email or of the workspace"),
    data: Flag.String("data").pipe(
      Flag.withDescription(`Values of {{data.…}} tokens, as JSON: '{"order": {"id": 17}}'`),
      Flag.withDefault("{}"),
    ),
    tag: Flag.KeyValuePair("tag").pipe(Flag.withDescription("Tags: --tag kind=receipt"), Flag.withDefault({})),
    at: textFlag("at", "When to send it, such as 2026-05-01T10:00:00Z. Default: now"),
    key: textFlag("key", "Idempotency-Key: a repeated command with the same key sends nothing"),
  },
  async (client, { at, data, email, from, html, key, subject, tag, template, text, to }) => {
    const payload = {
      to: { email: to },
      ...given({ email_id: email, template_id: template, html, text, subject, from_address: from, scheduled_at: at }),
      data: dataOf(data),
      tags: tag,
    }
    const options = Option.isSome(key) ? { idempotencyKey: key.value } : {}
    const sent = await client.emailMessages.send({ payload }, options)
    if (!("message_id" in sent)) throw new Error("The service answered as to a batch.")
    const warnings = sent.warnings.map((warning) => `Warning: ${warning}.`)
    const hint = `\`tentpole message show ${sent.message_id}\` shows what happens to it.`
    return { document: sent, text: [messageText(sent), ...warnings, hint].join("\n") }
  },
)

const eventsText = (events: Awaited<ReturnType<Client["emailMessages"]["find"]>>["events"]): string =>
  tableOf(
    events.map(({ metadata, timestamp, type }) => ({
      timestamp,
      type,
      metadata: Object.values(metadata).join(", ") || null,
    })),
  )

const show = callCommand(
  "show",
  "Shows a message and what has happened to it",
  {
    message: Argument.String("message").pipe(Argument.withDescription("Id of the message")),
    text: Flag.Boolean("text").pipe(Flag.withDescription("Prints the plain text instead"), Flag.withDefault(false)),
  },
  async (client, { message, text }) => {
    const params = { messageId: message }
    if (text) {
      const plainText = await client.emailMessages.plainText({ params })
      return { document: { plain_text: plainText }, text: plainText }
    }
    const found = await client.emailMessages.find({ params })
    return { document: found, text: `${messageText(found)}\n\n${eventsText(found.events)}` }
  },
)

export const message = commandGroup("message", "Single messages: send, show", [send, show])
