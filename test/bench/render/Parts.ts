// Where the time of a message goes: each part of its making by itself, over the same people.
import type { Links } from "@tentpole/core/rendering/Links"
import { unsigned } from "@tentpole/core/sending/OutgoingMail"
import { compile } from "@tentpole/core/rendering/Compile"
import { toBytes } from "@tentpole/core/rendering/message/Dkim"
import type { Recipient } from "@tentpole/core/rendering/message/Message"
import { MessageMemory } from "@tentpole/core/rendering/message/MessageMemory"
import { roomFor, soft_break, writeQuotedPrintable } from "@tentpole/core/rendering/message/QuotedPrintable"
import { render } from "@tentpole/core/rendering/Render"
import { type MergeValues, fillSlot, type Slot } from "@tentpole/core/rendering/MergeTemplate"
import { DateTime } from "effect"
import { spreadOf } from "../Timing.ts"
import { domain, letter, type Person, sender } from "./Letter.ts"

const date = DateTime.makeUnsafe(Date.UTC(2026, 10, 21, 11, 13, 9))
export const partsOf = (
  links: Links["Service"],
  people: ReadonlyArray<Person>,
  rounds: number,
): ReadonlyArray<string> => {
  const compiled = compile(letter, sender, { operational: false, tracked: true, addresses: links.addresses })
  const spots = compiled.body.filter((piece): piece is Slot => !(piece instanceof Uint8Array))
  const ready = compiled.body.filter((piece) => piece instanceof Uint8Array)
  const ready_bytes = ready.reduce((sum, piece) => sum + piece.length, 0)
  /** Without anything in its parts: what is left is headers, and what every message costs. */
  const bare = { ...compiled, body: [] }
  const memory = new MessageMemory()
  const targetOf = ({ id }: Person) => ({ workspaceId: sender.workspaceId, deliveryId: id })
  const messages = people.map((person) => ({ person, ...fillingFor(person, links.of(targetOf(person))) }))
  const filled = messages.map(({ filling }) => spots.map((spot) => fillSlot(spot, filling)))

  const whole = eachOf(people, rounds, (person) => {
    const { envelope, message } = unsigned({ compiled, domain }, person, { links, date, memory })
    const length = toBytes(message).length + envelope.from.length
    memory.giveBack(message.body)
    return length
  })
  const signed = eachOf(people, rounds, (person) => {
    const made = links.of(targetOf(person))
    let length = made.returnPath(domain).length
    for (let index = 0; index < compiled.links.length; index++) length += made.token("click", index).length
    return length
  })
  const read = eachOf(messages, rounds, ({ filling }) => {
    let length = 0
    for (const spot of spots) if (spot.kind === "token") length += fillSlot(spot, filling).length
    return length
  })
  const encoded = eachOf(filled, rounds, (texts) => {
    const room = memory.take(texts.reduce((sum, text) => sum + roomFor(text.length), 0))
    let at = 0
    for (const text of texts) at = writeQuotedPrintable(text, soft_break, room, at)
    memory.giveBack(room)
    return at
  })
  const laid = eachOf(people, rounds, () => {
    const room = memory.take(ready_bytes)
    let at = 0
    for (const piece of ready) {
      room.set(piece, at)
      at += piece.length
    }
    memory.giveBack(room)
    return at
  })
  const headed = eachOf(messages, rounds, ({ recipient }) => {
    const message = render(bare, recipient, memory)
    const { length } = toBytes(message)
    memory.giveBack(message.body)
    return length
  })
  const rest = Math.max(0, whole - signed - read - encoded - laid - headed)
  return [
    `a message takes ${microseconds(whole)}, of which by themselves: links and return path with their HMAC ${microseconds(signed)}, tokens ${microseconds(read)}, encoding what was filled in ${microseconds(encoded)}, laying ${ready.length} ready parts together ${microseconds(laid)}, headers ${microseconds(headed)}, the rest ${microseconds(rest)}`,
  ]
}

const fillingFor = (person: Person, links: Recipient["links"]) => {
  const filling: MergeValues = { contact: person.contact, dynamic: {}, workspaceName: sender.workspaceName, links }
  const recipient: Recipient = {
    deliveryId: person.id,
    contact: person.contact,
    address: person.address,
    dynamic: {},
    links,
    messageId: `${person.id}@${domain}`,
    date,
    listId: `${sender.workspaceId}.${domain}`,
    feedbackId: `${person.blastId}:${person.approvalId}:${sender.workspaceId}:tentpole`,
  }
  return { filling, recipient }
}

const microseconds = (ms: number): string => `${(ms * 1000).toFixed(1)} µs`

/** The lengths are added up, so that no work can be left out for want of use. */
const eachOf = <A>(all: ReadonlyArray<A>, rounds: number, work: (each: A) => number): number => {
  const times_ms: Array<number> = []
  let sum = 0
  for (let round = -1; round < rounds; round++) {
    const used = process.cpuUsage()
    for (const each of all) sum += work(each)
    const { system, user } = process.cpuUsage(used)
    if (round >= 0) times_ms.push((system + user) / 1000 / all.length)
  }
  if (sum <= 0) throw new Error("nothing was written")
  return spreadOf(times_ms).median
}
