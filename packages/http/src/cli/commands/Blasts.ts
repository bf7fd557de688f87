// The commands `tentpole blast …`: sending a blast and watching it.
import type { Blast, BlastDryRun, Client } from "@tentpole/client"
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { askable, blastOf, callCommand, confirmed, firstOf, limitFlag, pageLimit, print, yesFlag } from "../Answers.ts"
import { counted, countOf, lasting } from "../Figures.ts"
import { follow, type Progress } from "../Progress.ts"
import { attempt, CallFailed, connected } from "../Remote.ts"
import { jsonFlag } from "../Run.ts"
import { fieldsOf, tableOf } from "../Table.ts"

const blastArgument = Argument.String("blast").pipe(Argument.withDescription("Name or id of the blast"))

const watchFlag = Flag.Boolean("watch").pipe(
  Flag.withDescription("Shows the progress until the blast has ended"),
  Flag.withDefault(false),
)

const list = callCommand(
  "list",
  "Lists the blasts, last changed first",
  { limit: limitFlag },
  async (client, { limit }) => {
    const pages = client.blasts.list.pages({ query: { limit: pageLimit(limit) } })
    const { entries, total } = await firstOf(pages, ({ blasts }) => blasts, limit)
    const rows = entries.map(({ blast_id, details, name, paused, scheduled_at, status }) => ({
      blast_id,
      name,
      status: paused ? "paused" : status,
      scheduled_at,
      recipients: details.blast_recipient_count,
      sent: details.blast_sent_count,
    }))
    const table = rows.length === 0 ? "" : `${tableOf(rows)}\n`
    return { document: entries, text: `${table}${counted(rows.length)} of ${countOf(total, "blast")}.` }
  },
)

const statusText = ({ approval_readiness, details, ...blast }: Blast): string =>
  fieldsOf({
    name: blast.name,
    blast_id: blast.blast_id,
    status: blast.paused ? "sending, paused" : blast.status,
    reason: blast.failed_reason ?? blast.cancelled_reason,
    missing: approval_readiness?.missing.join(", "),
    scheduled_at: blast.scheduled_at,
    sent_at: blast.sent_at,
    recipients: counted(details.blast_recipient_count),
    sent: counted(details.blast_sent_count),
    failed: counted(details.blast_failed_count),
    blocked: counted(details.blast_blocked_count),
    delivered: counted(details.blast_delivered_count),
    opened: counted(details.blast_opened_count),
    clicked: counted(details.blast_clicked_count),
    bounced: counted(details.blast_bounced_count),
    complained: counted(details.blast_spam_count),
    unsubscribed: counted(details.blast_unsubscribed_count),
  })

const settled = ({ details }: Blast): number =>
  details.blast_sent_count + details.blast_failed_count + details.blast_blocked_count

const progressOf = (blast: Blast): Progress =>
  blast.status === "scheduled"
    ? { doing: `Scheduled for ${blast.scheduled_at}`, done: 0, total: null }
    : {
        doing: blast.paused ? "Paused" : "Sending",
        done: settled(blast),
        total: blast.details.blast_recipient_count,
      }

/** Waits until the blast has ended. Ctrl-C ends only the command. */
const watched = (client: Client, { blast_id }: Blast) =>
  follow(
    attempt(() => client.blasts.find({ params: { blastId: blast_id } })),
    {
      every: "1 second",
      isFinal: ({ status }) => status !== "sending" && status !== "scheduled",
      progressOf,
    },
  ).pipe(
    Effect.onInterrupt(() =>
      Console.error(`Stopped watching. The blast continues: \`tentpole blast status ${blast_id} --watch\`.`),
    ),
  )

/** Prints the blast. A watched blast that was not sent fails the command. */
const shown = Effect.fnUntraced(function* (
  client: Client,
  blast: Blast,
  { json, watch }: { readonly json: boolean; readonly watch: boolean },
) {
  const last = watch ? yield* watched(client, blast) : blast
  yield* print(json, { document: last, text: statusText(last) })
  if (watch && last.status !== "sent") {
    const reason = last.failed_reason ?? last.cancelled_reason
    const why = reason === null ? "" : ` (${reason})`
    return yield* new CallFailed({ reason: `The blast was not sent completely: its status is ${last.status}${why}.` })
  }
})

const planText = ({ blocked, estimated_seconds, qualified_count, recipient_count, unresolved_tokens }: BlastDryRun) =>
  fieldsOf({
    audience: countOf(recipient_count, "contact"),
    "get the message": countOf(qualified_count, "contact"),
    blocked: blocked.map(({ count, reason }) => `${counted(count)} ${reason}`).join(", "),
    "empty tokens": unresolved_tokens
      .map(({ contact_count, token }) => `${token} (${counted(contact_count)})`)
      .join(", "),
    takes: `about ${lasting(estimated_seconds)}`,
  })

const send = Command.make(
  "send",
  {
    blast: blastArgument,
    operational: Flag.Boolean("operational").pipe(
      Flag.withDescription("Sends as transactional mail: to unsubscribed contacts too, without a footer"),
      Flag.withDefault(false),
    ),
    watch: watchFlag,
    yes: yesFlag,
    json: jsonFlag,
  },
  (input) =>
    Effect.gen(function* () {
      yield* askable(input)
      const client = yield* connected
      const { operational } = input
      const blast = yield* attempt(() => blastOf(client, input.blast))
      const params = { blastId: blast.blast_id }
      if (!input.yes) {
        const plan = yield* attempt(() => client.blasts.dryRun({ params, payload: { operational } }))
        yield* Console.error(`${blast.name}\n${planText(plan)}`)
        const question = `Send to ${countOf(plan.qualified_count, "contact")} now?`
        if (!(yield* confirmed(question, input))) return yield* Console.error("Nothing was sent.")
      }
      yield* shown(client, yield* attempt(() => client.blasts.sendNow({ params, payload: { operational } })), input)
    }),
).pipe(Command.withDescription("Sends a blast now, after a confirmation"))

const status = Command.make("status", { blast: blastArgument, watch: watchFlag, json: jsonFlag }, (input) =>
  Effect.gen(function* () {
    const client = yield* connected
    yield* shown(client, yield* attempt(() => blastOf(client, input.blast)), input)
  }),
).pipe(Command.withDescription("Shows a blast with its counts"))

export const blast = Command.make("blast").pipe(
  Command.withDescription("Blasts: list, send, status"),
  Command.withSubcommands([list, send, status]),
)
