// Prints docs/internals/state-machines.md from the transition tables in the sources.
import { blockReasons, type DeliveryState, type Move, move, type Standing } from "@tentpole/core/sending/Delivery"

/**
 * What follows each state on each event; a list where facts decide between several. An event that is missing is refused or
 * changes nothing.
 */
export type Transitions = Readonly<Record<string, Readonly<Record<string, string | ReadonlyArray<string> | undefined>>>>

/** The first state of the table is the initial one; a state that no event leaves is final. */
export type Machine = readonly [title: string, transitions: Transitions]

const token = 1

const deliveryMoves: ReadonlyArray<readonly [event: string, move: Move]> = [
  ["claim", { _tag: "claim", token }],
  ["intent granted", { _tag: "intent", token, answer: "granted" }],
  ["intent paused", { _tag: "intent", token, answer: "paused" }],
  ["intent refused", { _tag: "intent", token, answer: blockReasons[0] }],
  ["accepted", { _tag: "settle", token, ending: { state: "sent" } }],
  ["rejected", { _tag: "settle", token, ending: { state: "failed", reason: "refused" } }],
  ["rejected temporarily", { _tag: "settle", token, ending: { state: "queued" } }],
  ["no reply", { _tag: "settle", token, ending: { state: "unconfirmed" } }],
  ["release", { _tag: "giveBack", token }],
  ["lease expired", { _tag: "expire" }],
  ["blast cancelled", { _tag: "end", ending: "cancelled" }],
  ["blast failed", { _tag: "end", ending: "blast_failed" }],
  ["click", { _tag: "evidence" }],
  ["report", { _tag: "report" }],
  ["retry", { _tag: "retry", unconfirmed: false }],
  ["retry with unconfirmed", { _tag: "retry", unconfirmed: true }],
]

const deliveryStates: Readonly<Record<DeliveryState, Standing["reason"]>> = {
  queued: null,
  claimed: null,
  handed_over: null,
  sent: null,
  failed: "temporarily_refused",
  blocked: "unsubscribed",
  unconfirmed: "unconfirmed",
}

/** The delivery's machine is a function: each event is tried in each state. */
const delivery = (): Transitions => {
  const next = (from: Standing) =>
    deliveryMoves.flatMap(([event, by]) => {
      const after = move(from, by)
      return after === undefined ? [] : [[event, after.state] as const]
    })
  return Object.fromEntries(
    (Object.keys(deliveryStates) as ReadonlyArray<DeliveryState>).map((state) => [
      state,
      Object.fromEntries(next({ state, reason: deliveryStates[state], token, attempts: 1 })),
    ]),
  )
}

/** Every state machine of the product, in the order of the page. */
export const machines: ReadonlyArray<Machine> = [["Delivery", delivery()]]

/** The events of a state by the state that follows. */
const byTarget = (events: Transitions[string] = {}): ReadonlyMap<string, ReadonlyArray<string>> => {
  const targets = new Map<string, ReadonlyArray<string>>()
  for (const [event, next = []] of Object.entries(events)) {
    for (const target of typeof next === "string" ? [next] : next) {
      targets.set(target, [...(targets.get(target) ?? []), event])
    }
  }
  return targets
}

/** One state machine as a Mermaid diagram, without the events that do not change the state. */
const diagram = (transitions: Transitions): string => {
  const states = Object.keys(transitions)
  const edges = states.flatMap((from) =>
    [...byTarget(transitions[from])].flatMap(([to, events]) => (to === from ? [] : [{ from, to, events }])),
  )
  const left = new Set(edges.map(({ from }) => from))
  const ends = [...new Set([...states, ...edges.map(({ to }) => to)])].filter((state) => !left.has(state))
  return [
    "```mermaid",
    "stateDiagram-v2",
    `  [*] --> ${states[0] ?? ""}`,
    ...edges.map(({ from, to, events }) => `  ${from} --> ${to}: ${events.join(", ")}`),
    ...ends.map((state) => `  ${state} --> [*]`),
    "```",
  ].join("\n")
}

/** The events that a state accepts and that do not change it, one line a state. */
const loops = (transitions: Transitions): string => {
  const lines = Object.entries(transitions).flatMap(([state, events]) => {
    const own = byTarget(events).get(state)
    return own === undefined ? [] : [`- ${state}: ${own.join(", ")}`]
  })
  return lines.length === 0 ? "" : `\nThese events change other fields only:\n\n${lines.join("\n")}\n`
}

/** docs/internals/state-machines.md, complete. */
export const stateMachinesPage = (all: ReadonlyArray<Machine> = machines): string =>
  [
    `# State machines

Each diagram shows the states of one kind of row and the events that change them. An event without an arrow is refused or changes
nothing. [The path of a message](message-path.md) explains the events of a delivery.

This page is printed from the transition tables in the code (\`npm run docs\`).
`,
    ...all.map(([title, transitions]) => `## ${title}\n\n${diagram(transitions)}\n${loops(transitions)}`),
  ].join("\n")
