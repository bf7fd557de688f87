// The mail server of the simulation: a port without SMTP. It outlives every worker, fails as the seed determines, and logs every
// message and reply.
import { decodeText } from "@tentpole/core/kernel/Bytes"
import {
  ConnectFailed,
  type Connection,
  MailConnections,
  NotSent,
  type Outcome,
  type Ready,
} from "@tentpole/core/sending/MailConnection"
import { Effect, Record } from "effect"
import type { Dice } from "./Dice.ts"
import type { Process } from "./Process.ts"

export interface Dot {
  /** The delivery of the message. */
  readonly delivery: string
  readonly to: string
  /** Whether the server accepted the message. */
  readonly accepted: boolean
  /** Whether the server replied; if not, the sender cannot know. */
  readonly replied: boolean
  /** Logical times at which the transaction began and the message arrived. */
  readonly begun: number
  readonly at: number
}

const noFaults = {
  connect: 0,
  later: 0,
  unknownUser: 0,
  cutBefore: 0,
  laterAfterDot: 0,
  refusedAfterDot: 0,
  replyLost: 0,
  lostBeforeReply: 0,
}

/** The probability of each fault. */
export type MailFaults = Readonly<typeof noFaults> & { readonly slow_ms: number }

export const noMailFaults: MailFaults = { ...noFaults, slow_ms: 20 }

const frequent: ReadonlySet<string> = new Set(["connect", "later", "cutBefore"])

export const drawMailFaults = (dice: Dice): MailFaults => ({
  ...Record.map(noFaults, (_, fault) => (dice.chance(0.5) ? dice.next() * (frequent.has(fault) ? 0.2 : 0.1) : 0)),
  slow_ms: dice.between(1, 2000),
})

const notSent = (stage: "connection" | "recipient", code: number | null, reply: string) =>
  Effect.fail(new NotSent({ stage, code, reply }))

export class MailServer {
  readonly dots: Array<Dot> = []
  faults: MailFaults
  /** Messages that are unconfirmed because of the server. */
  doubts = 0
  readonly #dice: Dice
  readonly #moment: () => number

  constructor(dice: Dice, faults: MailFaults, moment: () => number) {
    this.#dice = dice
    this.faults = faults
    this.#moment = moment
  }

  #pause(): Effect.Effect<void> {
    return Effect.sleep(this.#dice.between(1, this.faults.slow_ms))
  }

  /** The server for one process: each of its calls is a step of that process. */
  seenBy(process: Process): MailConnections["Service"] {
    return MailConnections.of({
      open: Effect.gen({ self: this }, function* () {
        yield* process.step
        yield* this.#pause()
        if (this.#dice.chance(this.faults.connect)) {
          return yield* new ConnectFailed({ reason: "connection refused", permanent: false, crowded: false })
        }
        return this.#connection(process)
      }),
    })
  }

  #connection(process: Process): Connection {
    let alive = true
    const died = Effect.sync(() => {
      alive = false
    })
    return {
      alive: Effect.sync(() => alive),
      begin: ({ to }) =>
        Effect.gen({ self: this }, function* () {
          yield* process.step
          yield* this.#pause()
          yield* process.step
          if (this.#dice.chance(this.faults.cutBefore)) {
            return yield* Effect.andThen(died, notSent("connection", null, "connection closed"))
          }
          if (this.#dice.chance(this.faults.later)) return yield* notSent("recipient", 451, "451 4.3.2 try later")
          if (this.#dice.chance(this.faults.unknownUser))
            return yield* notSent("recipient", 550, "550 5.1.1 no such user")
          const begun = this.#moment()
          const ready: Ready = {
            abandon: died,
            release: (message) =>
              Effect.andThen(process.step, this.#receive(process, decodeText(message), to, begun, died)),
          }
          return ready
        }),
    }
  }

  #receive(
    process: Process,
    delivery: string,
    to: string,
    begun: number,
    died: Effect.Effect<void>,
  ): Effect.Effect<Outcome> {
    return Effect.gen({ self: this }, function* () {
      yield* this.#pause()
      // The server has all bytes: a crash of the sender makes no difference from here on.
      const dot = { delivery, to, begun, at: this.#moment() }
      const { laterAfterDot, lostBeforeReply, refusedAfterDot, replyLost } = this.faults
      const fate = this.#dice.next()
      const refused = laterAfterDot + refusedAfterDot
      const lost = refused + replyLost
      const cut = lost + lostBeforeReply
      if (fate < refused) {
        const code = fate < laterAfterDot ? 451 : 554
        return yield* this.#reply(process, { ...dot, accepted: false, replied: true }, code)
      }
      if (fate < cut) {
        this.dots.push({ ...dot, accepted: fate < lost, replied: false })
        this.doubts++
        yield* process.step
        yield* died
        return { _tag: "inDoubt" }
      }
      return yield* this.#reply(process, { ...dot, accepted: true, replied: true }, 250)
    })
  }

  #reply(process: Process, dot: Dot, code: number): Effect.Effect<Outcome> {
    return Effect.gen({ self: this }, function* () {
      // A reply to a dead process does not count.
      this.dots.push({ ...dot, replied: process.alive })
      yield* process.step
      return code === 250
        ? { _tag: "accepted", reply: "250 2.0.0 ok" }
        : { _tag: "refused", code, reply: `${code} ${code === 451 ? "4.3.0" : "5.6.0"} no` }
    })
  }
}
