// Scenarios in which the mail server refuses, cuts, stays silent and sends garbage, at every stage.
import { pause, until } from "../../support/Service.ts"
import { type Scenario, unless } from "../Campaign.ts"
import type { Act, Behaviour } from "@tentpole/adapters/test/FakeSmtpScript"
import { bounds } from "./Times.ts"
import type { WorkerOptions, World } from "./World.ts"

/** The final state and reason of a recipient, by the script in its address. */
const ends: Readonly<Record<string, string>> = {
  plain: "sent",
  "greylisted-rcpt450x2": "sent",
  "busy-rcpt451x1": "sent",
  "full-rcpt452x1": "sent",
  "unknown-rcpt550": "failed hard_bounce",
  "moved-rcpt551": "failed refused",
  "malformed-rcpt553": "failed hard_bounce",
  "later-data451x1": "sent",
  "unwanted-data554": "failed refused",
  "closing-dot421x1": "sent",
  "afterwards-dot451x2": "sent",
  "overfull-dot452x1": "sent",
  "large-dot552": "failed refused",
  "spam-dot554": "failed refused",
  "cutname-rcptcutx1": "sent",
  "cutdata-datacutx1": "sent",
  "cutbody-bodycutx1": "sent",
  "cutdot-dotcut": "unconfirmed unconfirmed",
  "halfreply-dothalf": "unconfirmed unconfirmed",
  "mutename-rcptsilentx1": "sent",
  "mutedata-datasilentx1": "sent",
  "mutedot-dotsilent": "unconfirmed unconfirmed",
  "nonsense-rcptgarbagex1": "sent",
  "slow-dot250hold1000": "sent",
}

/** Garbage after the message is no reply: there must be no second message. */
const nonsense = "nonsense-dotgarbage"

const everyStage: Scenario<World> = {
  name: "refusals, cuts, silence and garbage at every stage after the greeting",
  run: async ({ say }, world) => {
    const plain = Array.from({ length: 40 }, (_, at) => `plain${at}`)
    const blast = await world.blast([...Object.keys(ends), nonsense, ...plain])
    await world.worker()
    await blast.ended()
    const judged = await blast.verdict(say, { cuts: 0 })
    const rows = new Map((await blast.rows()).map((row) => [row.email.split("@")[0] ?? "", row]))
    const wrong = Object.entries({ ...ends, ...Object.fromEntries(plain.map((name) => [name, "sent"])) }).flatMap(
      ([name, end]) => {
        const row = rows.get(name)
        const is = [row?.state, row?.reason].filter(Boolean).join(" ")
        return is === end ? [] : [`${name} ended ${is}, not ${end} (${row?.smtp_reply ?? "no reply"})`]
      },
    )
    return [...judged.found, ...wrong]
  },
}

interface Trouble {
  readonly name: string
  readonly behaviour: Partial<Behaviour>
  readonly worker?: WorkerOptions
  /** Set where the trouble fails the blast. */
  readonly status?: "failed"
}

const troubles: ReadonlyArray<Trouble> = [
  ...(["cut", "silent", "half", "garbage", 421, 554] as ReadonlyArray<Act>).map((act) => ({
    name: `a greeting that is ${act}`,
    behaviour: { greeting: act },
  })),
  ...(["cut", "silent", 451, 550] as ReadonlyArray<Act>).map((act) => ({
    name: `an answer to EHLO that is ${act}`,
    behaviour: { ehlo: act },
  })),
  ...(["cut", "silent", 421, 451] as ReadonlyArray<Act>).map((act) => ({
    name: `an answer to MAIL that is ${act}`,
    behaviour: { mail: act },
  })),
  { name: "no TLS where TLS is required", behaviour: {}, worker: { smtp: "&requireTLS=true" } },
  {
    name: "a login that is refused for the moment",
    behaviour: { auth: 454, extensions: ["AUTH PLAIN"] },
    worker: { login: "user:secret@" },
  },
  {
    name: "a login that is refused for good",
    behaviour: { auth: 535, extensions: ["AUTH PLAIN"] },
    worker: { login: "user:secret@" },
    status: "failed",
  },
  { name: "a server that wants a login before MAIL", behaviour: { mail: 530 }, status: "failed" },
]

/** Nothing is sent and no delivery fails while the trouble lasts; then all are sent. A permanent trouble fails the blast once. */
const troubled = ({ behaviour, name, status, worker: options }: Trouble): Scenario<World> => ({
  name,
  run: async ({ say }, world) => {
    const blast = await world.blast(30)
    await world.sink.behave(behaviour)
    const worker = await world.worker(options)
    if (status !== undefined) {
      await blast.ended()
      await until("all to be at their end", async () => Object.keys(await blast.states()).join() === "failed")
      const judged = await blast.verdict(say, { status })
      const tries = await world.sink.recipients_count(blast.domain)
      // Each connection may be refused once before the first refusal is known.
      const many = `${tries} recipients were named to a server that refuses all`
      return [...judged.found, ...unless(tries <= bounds.connections, many)]
    }
    await pause(2_500)
    const early = (await blast.dots()).length
    const states = await blast.states()
    const tried = (await blast.rows()).filter(({ attempts }) => attempts > 0).length
    const failed = (states["failed"] ?? 0) + (states["unconfirmed"] ?? 0)
    say(`  ${tried} had used a try up`)
    await world.sink.behave({ extensions: behaviour.extensions ?? [] })
    if (options !== undefined) {
      await worker.process.kill()
      await world.worker()
    }
    await blast.ended()
    const judged = await blast.verdict(say)
    return [
      ...judged.found,
      ...unless(early === 0, `${early} were sent in spite of it`),
      ...unless(failed === 0, `it failed ${JSON.stringify(states)}`),
      ...unless(judged.sent === 30, `${judged.sent} of 30 were sent`),
    ]
  },
})

const refusedConnections: Scenario<World> = {
  name: "a mail server that is down",
  run: async ({ say }, world) => {
    const blast = await world.blast(60)
    world.toSink.refusing = true
    await world.worker()
    await pause(2_000)
    const tried = (await blast.rows()).filter(({ attempts }) => attempts > 0).length
    world.toSink.refusing = false
    await blast.ended()
    const judged = await blast.verdict(say, {}, `${tried} had used a try up`)
    const isRight = judged.sent === 60 && tried < 30
    return [...judged.found, ...unless(isRight, `${judged.sent} were sent, ${tried} had used a try up`)]
  },
}

const crowded: Scenario<World> = {
  name: "one connection is allowed, and each takes twenty messages",
  run: async ({ say }, world) => {
    await world.sink.behave({ connections_max: 1, messages_max: 20 })
    const blast = await world.blast(100)
    await world.worker()
    await blast.ended()
    const judged = await blast.verdict(say)
    return [...judged.found, ...unless(judged.sent === 100, `${judged.sent} of 100 were sent`)]
  },
}

const ascii: Scenario<World> = {
  name: "a server that takes neither UTF-8 addresses nor 8-bit bodies",
  run: async ({ say }, world) => {
    await world.sink.behave({ extensions: [] })
    const blast = await world.blast(["ünal", "plain"])
    await world.worker()
    await blast.ended()
    const judged = await blast.verdict(say)
    const [beyond] = (await blast.rows()).filter(({ email }) => email.startsWith("ü"))
    const clean = beyond?.state === "failed" && (beyond.smtp_reply ?? "").includes("5.6.7")
    const isRight = clean && judged.sent === 1
    return [...judged.found, ...unless(isRight, `ünal ended ${beyond?.state} with ${beyond?.smtp_reply}`)]
  },
}

const cutWires: Scenario<World> = {
  name: "all connections to the mail server are cut, again and again",
  run: async ({ dice, quick, say }, world) => {
    const blast = await world.blast(400)
    await world.worker()
    await until("some to be sent", async () => (await blast.dots()).length > 10, { every_ms: 5 })
    const cuts = quick ? 3 : 10
    for (let cut = 0; cut < cuts; cut++) {
      world.toSink.cut()
      await pause(dice.between(20, 120))
    }
    await blast.ended()
    return (await blast.verdict(say, { cuts })).found
  },
}

export const refusals: ReadonlyArray<Scenario<World>> = [
  everyStage,
  ...troubles.map(troubled),
  refusedConnections,
  crowded,
  ascii,
  cutWires,
]
