// The invariants of every simulated run, as sentences; those that do not hold are the violations.
import type { DeliveryRow } from "@tentpole/adapters/memory/sending/DeliveryTables"
import type { BlastView } from "@tentpole/core/blasts/BlastStore"
import type { Dot } from "./MailServer.ts"
import type { Drawn } from "./Simulation.ts"

export interface Evidence {
  readonly dots: ReadonlyArray<Dot>
  readonly rows: ReadonlyArray<DeliveryRow>
  readonly shown: BlastView
  /** When each address unsubscribed. */
  readonly unsubscribed: ReadonlyMap<string, number>
  readonly crashes: number
  readonly doubts: number
  readonly drawn: Drawn
}

export interface Judged {
  readonly violations: ReadonlyArray<string>
  readonly sent: number
  readonly unconfirmed: number
  readonly crashes: number
}

const settle_batch_max = 5

export const judge = (evidence: Evidence): Judged => {
  const { crashes, doubts, dots, drawn, rows, shown, unsubscribed } = evidence
  const violations: Array<string> = []
  const demand = (holds: boolean, sentence: string) => {
    if (!holds) violations.push(sentence)
  }
  const counted = (state: DeliveryRow["state"]) => rows.filter((row) => row.state === state).length

  for (const row of rows) {
    const mine = dots.filter((dot) => dot.delivery === row.id)
    // Only a refusal that reached the sender proves that the message was not delivered.
    const perhaps = mine.filter((dot) => dot.accepted || !dot.replied)
    demand(perhaps.length <= 1, `${row.email} got perhaps ${perhaps.length} messages`)
    demand(mine.filter((dot) => dot.accepted).length <= 1, `${row.email} got two messages`)
    if (row.state === "sent")
      demand(
        mine.some((dot) => dot.accepted),
        `${row.email} is sent, but the server has nothing`,
      )
    if (mine.some((dot) => dot.accepted && dot.replied)) {
      demand(row.state === "sent" || row.state === "unconfirmed", `${row.email} was accepted, but is ${row.state}`)
    }
    if (row.state === "unconfirmed") demand(mine.length + crashes > 0, `${row.email} is unconfirmed without a cause`)
  }

  const unconfirmed = counted("unconfirmed")
  demand(
    unconfirmed <= crashes * (drawn.connections + settle_batch_max) + doubts,
    `${unconfirmed} are unconfirmed after ${crashes} crashes and ${doubts} lost replies`,
  )
  if (crashes + doubts === 0) demand(unconfirmed === 0, "some are unconfirmed without a crash or a lost reply")

  for (const [address, at] of unsubscribed) {
    const late = dots.filter((dot) => dot.to === address && dot.begun > at)
    demand(late.length === 0, `${address} was mailed after it had unsubscribed`)
  }

  const { blast, tally } = shown
  demand(blast.status === "sent", `the blast did not finish: it is ${blast.status}`)
  demand(
    rows.every((row) => ["sent", "failed", "blocked", "unconfirmed"].includes(row.state)),
    "some deliveries are still open",
  )
  demand(rows.length === drawn.people, `${drawn.people} people have ${rows.length} deliveries`)
  demand(new Set(rows.map((row) => row.contactId)).size === rows.length, "a contact has two deliveries")
  demand(tally.sent === counted("sent"), "the counter of sent ones differs from the rows")
  demand(tally.failed === counted("failed") + unconfirmed, "the counter of failed ones differs from the rows")
  demand(tally.blocked === counted("blocked"), "the counter of blocked ones differs from the rows")
  demand(tally.queued === 0, "the counter of queued ones is not 0")
  return { violations, sent: counted("sent"), unconfirmed, crashes }
}
