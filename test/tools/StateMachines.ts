// Prints docs/internals/state-machines.md from the transition tables in the sources.
import { transitions as blast } from "@tentpole/core/blasts/machine"
import { generationTransitions as generation } from "@tentpole/core/documents/Generation"
import { transitions as document } from "@tentpole/core/documents/machine"
import { transitions as exportFile } from "@tentpole/core/exports/machine"
import { transitions as flow } from "@tentpole/core/flows/definition/machine"
import { transitions as membership } from "@tentpole/core/flows/members/Membership"
import { transitions as importRun } from "@tentpole/core/imports/machine"
import { transitions as delivery } from "@tentpole/core/sending/machine"
import { transitions as subscription } from "@tentpole/core/subscriptions/machine"
import { transitions as webhookDelivery } from "@tentpole/core/webhooks/deliveries/machine"
import { publicationTransitions as publication, transitions as tent } from "@tentpole/core/tents/machine"

/**
 * What follows each state on each event; a list where facts decide between several. An event that is missing is refused or
 * changes nothing.
 */
export type Transitions = Readonly<Record<string, Readonly<Record<string, string | ReadonlyArray<string> | undefined>>>>

/** The first state of the table is the initial one; a state that no event leaves is final. */
export type Machine = readonly [title: string, transitions: Transitions]

/** Every state machine of the product, in the order of the page. */
export const machines: ReadonlyArray<Machine> = [
  ["Blast", blast],
  ["Delivery", delivery],
  ["Email or template: approval", document],
  ["Email or template: generation", generation],
  ["Tent: generation", tent],
  ["Tent: publication", publication],
  ["Flow", flow],
  ["Membership", membership],
  ["Import run", importRun],
  ["Export", exportFile],
  ["Subscription request", subscription],
  ["Webhook delivery", webhookDelivery],
]

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
