// A name server on a port of its own, over UDP and TCP (RFC 1035 §4), that answers as the zone tells it, and misbehaves where
// the zone says so.
import { Effect } from "effect"
import { createSocket, type RemoteInfo } from "node:dgram"
import { createServer, type AddressInfo, type Socket } from "node:net"

export type DnsData =
  /** The strings of one TXT record, at most 255 bytes each. */
  | { readonly type: "TXT"; readonly strings: ReadonlyArray<string> }
  | { readonly type: "CNAME"; readonly target: string }
  | { readonly type: "MX"; readonly preference: number; readonly exchange: string }

/** Records, each with the name that has it: the question's, unless a CNAME leads elsewhere. */
export type Reply =
  | ReadonlyArray<DnsData & { readonly name?: string }>
  | "SERVFAIL"
  | "REFUSED"
  | "silence"
  | "garbage"
  /** An answer to another question, as somebody who guesses ids would send it. */
  | "wrong id"

/** Answers by name and type, as `example.com TXT`; the function is asked each time. A name without any is NXDOMAIN. */
export type Zone = Map<string, Reply>

const types = { CNAME: 5, MX: 15, TXT: 16 } as const
const typeNames: Readonly<Record<number, string>> = { 1: "A", 5: "CNAME", 15: "MX", 16: "TXT", 28: "AAAA" }

const codes = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const

/** RFC 1035 §4.2.1. */
const udp_bytes_max = 512

const response_flag = 0x8000
const recursion_flags = 0x0180
const truncated_flag = 0x0200

interface Question {
  readonly id: number
  readonly name: string
  readonly type: string
  /** The question section as it came, to be sent back. */
  readonly section: Buffer
}

const questionIn = (message: Buffer): Question => {
  const labels: Array<string> = []
  let at = 12
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = message.readUInt16BE(at + 1)
  return {
    id: message.readUInt16BE(0),
    name: labels.join(".").toLowerCase(),
    type: typeNames[type] ?? String(type),
    section: message.subarray(12, at + 5),
  }
}

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, "latin1")])),
    Buffer.of(0),
  ])

const dataBytes = (data: DnsData): Buffer => {
  switch (data.type) {
    case "TXT":
      return Buffer.concat(data.strings.flatMap((text) => [Buffer.of(Buffer.byteLength(text)), Buffer.from(text)]))
    case "CNAME":
      return nameBytes(data.target)
    case "MX":
      return Buffer.concat([Buffer.of(data.preference >> 8, data.preference & 255), nameBytes(data.exchange)])
  }
}

const recordBytes = (name: string, data: DnsData): Buffer => {
  const value = dataBytes(data)
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(types[data.type], 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(60, 4)
  fixed.writeUInt16BE(value.length, 8)
  return Buffer.concat([nameBytes(name), fixed, value])
}

const messageOf = (question: Question, flags: number, answers: ReadonlyArray<Buffer>): Buffer => {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(question.id, 0)
  head.writeUInt16BE(response_flag | recursion_flags | flags, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(answers.length, 6)
  return Buffer.concat([head, question.section, ...answers])
}

const exists = (zone: Zone, name: string): boolean => [...zone.keys()].some((key) => key.startsWith(`${name} `))

/** What is said to a question; null says nothing. */
const answerTo = (zone: Zone, question: Question): Buffer | null => {
  const reply = zone.get(`${question.name} ${question.type}`)
  switch (reply) {
    case undefined:
      return messageOf(question, exists(zone, question.name) ? 0 : codes.NXDOMAIN, [])
    case "SERVFAIL":
    case "REFUSED":
      return messageOf(question, codes[reply], [])
    case "silence":
      return null
    case "garbage":
      return Buffer.concat([messageOf(question, 0, []).subarray(0, 2), Buffer.alloc(40, 0xff)])
    case "wrong id":
      return messageOf({ ...question, id: question.id ^ 0xffff }, 0, [])
    default:
      return messageOf(
        question,
        0,
        reply.map(({ name, ...data }) => recordBytes(name ?? question.name, data)),
      )
  }
}

/** Answers over TCP: each message behind its length (RFC 1035 §4.2.2). */
const serveTcp = (zone: Zone) => (socket: Socket) => {
  let pending = Buffer.alloc(0)
  socket.on("error", () => undefined)
  socket.on("data", (chunk) => {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0)
      const answer = answerTo(zone, questionIn(pending.subarray(2, end)))
      pending = pending.subarray(end)
      if (answer !== null) socket.write(Buffer.concat([Buffer.of(answer.length >> 8, answer.length & 255), answer]))
    }
  })
}

/** Listens on a port of its own until the scope ends; answers the port. */
export const nameServer = (zone: Zone) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const tcp = createServer((socket) => {
        sockets.add(socket)
        serveTcp(zone)(socket)
      })
      const udp = createSocket("udp4")
      udp.on("message", (message: Buffer, { address, port }: RemoteInfo) => {
        const question = questionIn(message)
        const answer = answerTo(zone, question)
        if (answer === null) return
        udp.send(answer.length > udp_bytes_max ? messageOf(question, truncated_flag, []) : answer, port, address)
      })
      tcp.listen(0, "127.0.0.1", () => {
        const { port } = tcp.address() as AddressInfo
        udp.bind(port, "127.0.0.1", () =>
          resume(
            Effect.succeed({
              port,
              close: () => {
                udp.close()
                tcp.close()
                for (const socket of sockets) socket.destroy()
              },
            }),
          ),
        )
      })
    }),
    ({ close }) => Effect.sync(close),
  ).pipe(Effect.map(({ port }) => port))
