// The program of `FakeSmtpProcess`. With a file it logs each message and each reply before the client can know of it; without
// one it stores nothing and counts messages by domain and time.
import { FakeSmtp, type FakeSmtpOptions, headerOf, messageIdOf, type SmtpEvent } from "@tentpole/adapters/test/FakeSmtp"
import { usual } from "@tentpole/adapters/test/FakeSmtpScript"
import { openSync, writeSync } from "node:fs"
import type { Arrival, Logged, Request } from "./FakeSmtpProcess.ts"

const now_ms = (): number => performance.timeOrigin + performance.now()

const logInto = (path: string): FakeSmtpOptions => {
  const file = openSync(path, "a")
  const loggedOf = (event: SmtpEvent): Logged => {
    const at_ms = now_ms()
    if (!("message" in event)) return { to: "", ...event, at_ms }
    const { what, message } = event
    const { from, nth, reply, to } = message
    if (what === "withheld") return { what, at_ms, nth }
    if (what === "reply") return { what, at_ms, nth, code: Number(reply?.slice(0, 3)) }
    const messageId = messageIdOf(message)
    const [delivery = ""] = messageId.split("@")
    return {
      what: "dot",
      at_ms,
      nth,
      delivery,
      messageId,
      from,
      to,
      unsubscribe: headerOf(message, "List-Unsubscribe"),
    }
  }
  return { keeps: "events", onEvent: (event) => void writeSync(file, `${JSON.stringify(loggedOf(event))}\n`) }
}

/** Arrivals are counted in steps of this time. */
const step_ms = 10
/** By domain, then by step. */
const arrivals = new Map<string, Map<number, number>>()

const counting: FakeSmtpOptions = {
  keeps: "counts",
  onEvent: (event) => {
    if (event.what !== "message") return
    const { to } = event.message
    const domain = to.slice(to.lastIndexOf("@") + 1)
    const step = Math.floor(Date.now() / step_ms)
    let steps = arrivals.get(domain)
    if (steps === undefined) arrivals.set(domain, (steps = new Map()))
    steps.set(step, (steps.get(step) ?? 0) + 1)
  },
}

const path = process.env["SMTP_LOG"]
const server = await FakeSmtp.start(path === undefined ? counting : logInto(path))

const counted = (): ReadonlyArray<Arrival> =>
  [...arrivals].flatMap(([domain, steps]) =>
    [...steps].map(([step, count]) => ({ at_ms: step * step_ms, domain, count })),
  )

process.on("message", ({ behaviour, reset = false }: Request) => {
  if (behaviour !== undefined) server.behaviour = { ...usual, ...behaviour }
  if (reset) arrivals.clear()
  process.send?.(`arrivals ${JSON.stringify(counted())}`)
})
process.once("disconnect", () => process.exit(0))
process.send?.(`port ${server.port}`)
