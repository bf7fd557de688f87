// The invariants of a blast after faults, checked on the database and on the mail server's log: no recipient has two messages,
// none is forgotten, no state is invented, and the counters are right.
import type { Inside } from "../../support/Inside.ts"
import { historyFaults } from "./History.ts"
import type { Dot } from "../../support/smtp/FakeSmtpProcess.ts"

export interface DeliveryRow {
  readonly id: string
  readonly contact_id: string
  readonly email: string
  readonly state: string
  readonly reason: string | null
  readonly attempts: number
  readonly smtp_reply: string | null
}

/** Bounds of what a worker's death may leave unconfirmed. */
export interface Bounds {
  readonly connections: number
  readonly settle_batch_max: number
}

export interface Circumstances extends Bounds {
  /** Whether a trigger kept the history of deliveries. */
  readonly hasHistory: boolean
  /** Workers that were killed, or frozen for good. */
  readonly deaths: number
  /** How often the campaign cut the connections to the mail server. */
  readonly cuts: number
  readonly status: "sent" | "cancelled" | "failed"
}

export interface Judged {
  readonly found: ReadonlyArray<string>
  readonly sent: number
  readonly blocked: number
  readonly unconfirmed: number
  /** By reason. */
  readonly failed: Readonly<Record<string, number>>
}

export const rowsOf = (inside: Inside, blast: string): Promise<ReadonlyArray<DeliveryRow>> =>
  inside.asOwner<DeliveryRow>(
    `select d.delivery_id as id, d.contact_id, d.email, coalesce(q.state, d.state) as state, d.reason, d.attempts, d.smtp_reply
      from delivery d left join delivery_queue q using (workspace_id, delivery_id)
      where d.blast_id = $1::uuid order by d.delivery_id`,
    [blast],
  )

const open = new Set(["queued", "claimed", "handed_over"])
/** Without a reply, or with a positive one, the recipient may have the message. */
const mayHaveIt = ({ reply }: Dot): boolean => reply === null || (reply >= 200 && reply < 300)
const wasAccepted = ({ reply }: Dot): boolean => reply !== null && reply >= 200 && reply < 300

/** Counts how often each sentence does not hold, with the first three cases. */
const demands = () => {
  const broken = new Map<string, Array<string>>()
  return {
    demand: (holds: boolean, sentence: string, whose = ""): void => {
      if (holds) return
      const names = broken.get(sentence)
      if (names === undefined) broken.set(sentence, [whose])
      else names.push(whose)
    },
    found: (): ReadonlyArray<string> =>
      [...broken].map(([sentence, names]) =>
        names[0] === "" ? sentence : `${sentence}: ${names.length} times, ${names.slice(0, 3).join(", ")}`,
      ),
  }
}

type Demand = ReturnType<typeof demands>["demand"]

const judgeDots = (rows: ReadonlyArray<DeliveryRow>, dots: ReadonlyArray<Dot>, demand: Demand): void => {
  const known = new Map(rows.map((row) => [row.id, row]))
  for (const [id, mine] of Map.groupBy(dots, ({ delivery }) => delivery)) {
    const row = known.get(id)
    demand(row !== undefined, "a message belongs to no delivery (I7)", id)
    const to = mine[0]?.to ?? id
    demand(mine.filter(mayHaveIt).length <= 1, "a delivery may have sent two messages (I1)", to)
    const one = (values: ReadonlyArray<string>) => new Set(values).size === 1
    demand(one(mine.map(({ messageId }) => messageId)), "a later try had another Message-ID (I10)", to)
    demand(one(mine.map(({ from }) => from)), "a later try had another return path (I10)", to)
    demand(one(mine.map(({ unsubscribe }) => unsubscribe)), "a later try had another unsubscribe link (I10)", to)
    if (row === undefined) continue
    demand(row.email === to, "a message went to another address than its delivery's", to)
    if (mine.some(wasAccepted)) {
      const isAccounted = row.state === "sent" || row.state === "unconfirmed"
      demand(isAccounted, `a message was accepted, but its delivery is ${row.state} (I2)`, to)
    }
  }
  const perAddress = Map.groupBy(dots.filter(mayHaveIt), ({ to }) => to)
  for (const [to, mine] of perAddress) demand(mine.length <= 1, "an address may have two messages (I1)", to)
}

const judgeRows = (rows: ReadonlyArray<DeliveryRow>, dots: ReadonlyArray<Dot>, demand: Demand): void => {
  const accepted = new Set(dots.filter(wasAccepted).map(({ delivery }) => delivery))
  for (const { email, id, state } of rows) {
    demand(!open.has(state), "a delivery is not at its end (I5)", `${email} ${state}`)
    if (state === "sent") demand(accepted.has(id), "sent, but the mail server never accepted it (I3)", email)
  }
  demand(new Set(rows.map((row) => row.contact_id)).size === rows.length, "a person has two deliveries (I7)")
  demand(new Set(rows.map((row) => row.email)).size === rows.length, "an address has two deliveries (I7)")
}

/** `expected_count`: how many recipients the blast has. */
export const judge = async (
  inside: Inside,
  blast: { readonly id: string; readonly expected_count: number },
  dots: ReadonlyArray<Dot>,
  circumstances: Circumstances,
): Promise<Judged> => {
  const rows = await rowsOf(inside, blast.id)
  const [tally] = await inside.asOwner(
    `select sum(queued)::int as queued, sum(sent)::int as sent, sum(failed)::int as failed, sum(blocked)::int as blocked
      from delivery_tally where blast_id = $1::uuid`,
    [blast.id],
  )
  const [row] = await inside.asOwner<{ status: string; recipient_count: number }>(
    "select status, recipient_count from blast where blast_id = $1::uuid",
    [blast.id],
  )
  const { demand, found } = demands()
  judgeDots(rows, dots, demand)
  judgeRows(rows, dots, demand)
  const queued = await inside.asOwner("select 1 from delivery_queue where blast_id = $1::uuid", [blast.id])
  demand(queued.length === 0, `${queued.length} rows are left in the queue (I5)`)

  const counted = (...states: ReadonlyArray<string>) => rows.filter(({ state }) => states.includes(state)).length
  const unconfirmed = counted("unconfirmed")
  const { connections, cuts, deaths, hasHistory, settle_batch_max, status } = circumstances
  const withheld = dots.filter((dot) => dot.withheld).length
  const bound = deaths * (connections + settle_batch_max) + cuts * connections + withheld
  demand(unconfirmed <= bound, `${unconfirmed} are unconfirmed, more than ${bound} (I4)`)

  const recount = {
    queued: counted(...open),
    sent: counted("sent"),
    failed: counted("failed", "unconfirmed"),
    blocked: counted("blocked"),
  }
  const said = JSON.stringify({ ...recount, ...tally })
  demand(said === JSON.stringify(recount), `the counters say ${said}, the rows ${JSON.stringify(recount)} (I5)`)
  demand(row?.status === status, `the blast is ${row?.status}, not ${status}`)
  demand(rows.length === blast.expected_count, `${blast.expected_count} people have ${rows.length} deliveries (I5)`)
  demand(
    row?.recipient_count === rows.length,
    `the blast counts ${row?.recipient_count} of ${rows.length} recipients (I5)`,
  )
  const failed: Record<string, number> = {}
  for (const { reason, state } of rows) {
    if (state === "failed" && reason !== null) failed[reason] = (failed[reason] ?? 0) + 1
  }
  const sentences = [...found(), ...(hasHistory ? await historyFaults(inside, blast.id) : [])]
  return { found: sentences, sent: recount.sent, blocked: recount.blocked, unconfirmed, failed }
}
