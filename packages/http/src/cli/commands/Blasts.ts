// The commands `tentpole blast …`: sending a blast and watching it.
import type { Blast, BlastDryRun, BlastProgress, Client } from "@tentpole/client"
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { askable, blastOf, callCommand, confirmed, firstOf, limitFlag, pageLimit, yesFlag } from "../Answers.ts"
import { clockOf, counted, countOf, lasting } from "../Figures.ts"
import { follow, type MeasuredPace, type Progress } from "../Progress.ts"
import { attempt, CallFailed, connected } from "../Remote.ts"
import { jsonFlag, print } from "../Output.ts"
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

/** Why nothing is sent, and what helps. */
const stalls: Readonly<Record<NonNullable<BlastProgress["stalled"]>, string>> = {
  held: "an operator holds it (SENDING=held, or a restored backup)",
  no_worker: "no worker is running: start one",
  refused: "mail servers refused the remaining recipients for now",
  limit: "the workspace's send rate limit allows no message: raise it, or wait",
}

const domains_max = 3

/** `1 waiting for gmx.de, 2 for web.de, next attempt 14:02`. */
const waitingText = ({ next_attempt_at, queued, waiting }: BlastProgress): string => {
  const shown = waiting.slice(0, domains_max)
  const others = queued - shown.reduce((sum, { count }) => sum + count, 0)
  const queues = [
    ...shown.map(({ count, domain }) => ({ count, of: domain })),
    ...(others > 0 ? [{ count: others, of: "other domains" }] : []),
  ].map(({ count, of }, at) => `${counted(count)} ${at === 0 ? "waiting " : ""}for ${of}`)
  return [...queues, ...(next_attempt_at === null ? [] : [`next attempt ${clockOf(next_attempt_at)}`])].join(", ")
}

/** Only recipients remain that are tried again later. Not while one is tried. */
const isDeferred = ({ next_attempt_at, stalled }: BlastProgress): boolean =>
  stalled === "refused" && next_attempt_at !== null

interface State {
  readonly blast: Blast
  readonly progress: BlastProgress
}

const statusText = ({ blast, progress }: State): string => {
  const { approval_readiness, details } = blast
  return fieldsOf({
    name: blast.name,
    blast_id: blast.blast_id,
    status: blast.paused ? "sending, paused" : blast.status,
    reason: blast.failed_reason ?? blast.cancelled_reason,
    missing: approval_readiness?.missing.join(", "),
    scheduled_at: blast.scheduled_at,
    sent_at: blast.sent_at,
    recipients: counted(details.blast_recipient_count),
    queued: progress.queued === 0 ? null : counted(progress.queued),
    deferred: progress.deferred === 0 ? null : counted(progress.deferred),
    waiting: progress.queued === 0 ? null : waitingText(progress),
    "nothing is sent": progress.stalled === null ? null : stalls[progress.stalled],
    per_second: progress.per_second,
    estimated_end_at: progress.estimated_end_at,
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
}

const paceOf = ({ estimated_end_at, per_second }: BlastProgress): MeasuredPace | null =>
  per_second === null || per_second === 0
    ? null
    : {
        perSecond: per_second,
        rest_s: estimated_end_at === null ? null : (Date.parse(estimated_end_at) - Date.now()) / 1000,
      }

const notesOf = (progress: BlastProgress): ReadonlyArray<string> => {
  const { deferred, next_attempt_at, stalled } = progress
  const next = next_attempt_at === null ? "" : `, next attempt ${clockOf(next_attempt_at)}`
  return [
    ...(deferred > 0 ? [`${counted(deferred)} deferred${next}`] : []),
    ...(stalled === null || stalled === "refused" ? [] : [`Nothing is sent: ${stalls[stalled]}`]),
  ]
}

const progressOf = ({ scheduled_at }: Blast, progress: BlastProgress): Progress =>
  progress.status === "scheduled"
    ? { doing: `Scheduled for ${scheduled_at}`, done: 0, total: null }
    : {
        doing: progress.paused ? "Paused" : "Sending",
        done: progress.sent + progress.failed + progress.blocked,
        total: progress.recipient_count,
        pace: paceOf(progress),
        notes: notesOf(progress),
      }

const isOver = (progress: BlastProgress): boolean =>
  (progress.status !== "sending" && progress.status !== "scheduled") || isDeferred(progress)

/** Waits until the blast has ended, or only deferred recipients remain. Ctrl-C ends only the command. */
const watched = (client: Client, blast: Blast) =>
  follow(
    attempt(() => client.blasts.progress({ params: { blastId: blast.blast_id } })),
    { every: "1 second", isFinal: isOver, progressOf: (progress) => progressOf(blast, progress) },
  ).pipe(
    Effect.onInterrupt(() =>
      Console.error(`Stopped watching. The blast continues: \`tentpole blast status ${blast.blast_id} --watch\`.`),
    ),
  )

/** Prints the blast. A watched blast that was not sent fails the command, unless the rest is only deferred. */
const shown = Effect.fnUntraced(function* (
  client: Client,
  before: Blast,
  { json, watch }: { readonly json: boolean; readonly watch: boolean },
) {
  const params = { blastId: before.blast_id }
  const progress = yield* watch ? watched(client, before) : attempt(() => client.blasts.progress({ params }))
  const blast = yield* attempt(() => client.blasts.find({ params }))
  yield* print(json, { document: { ...blast, progress }, text: statusText({ blast, progress }) })
  if (!watch || blast.status === "sent") return
  if (isDeferred(progress)) {
    const later = `\`tentpole blast status ${blast.blast_id}\` shows the result.`
    return yield* Console.error(`${waitingText(progress)}. The service tries again by itself; ${later}`)
  }
  const reason = blast.failed_reason ?? blast.cancelled_reason
  const why = reason === null ? "" : ` (${reason})`
  return yield* new CallFailed({ reason: `The blast was not sent completely: its status is ${blast.status}${why}.` })
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
