// The mail connection for trials: each message becomes an `.eml` file that any mail program opens. The service uses it when
// SMTP_URL is not set.
import { type Envelope, MailConnections, type Outcome, type Ready } from "@tentpole/core/sending/MailConnection"
import { Clock, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { mkdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** The first message creates `folder`. A file is written whole or not at all; its name has the time and the recipient. */
export const layer = (folder: string) =>
  Layer.succeed(
    MailConnections,
    MailConnections.of({
      open: Effect.succeed({
        begin: (envelope) => Effect.succeed(ready(folder, envelope)),
        alive: Effect.succeed(true),
      }),
    }),
  )

const ready = (folder: string, envelope: Envelope): Ready => ({
  release: (message) =>
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const name = nameOf(at, envelope.to)
      yield* Effect.tryPromise(() => write(folder, name, envelope, message))
      yield* Effect.logInfo("mail written to a file").pipe(Effect.annotateLogs({ to: envelope.to, file: name }))
      const accepted: Outcome = { _tag: "accepted", reply: `250 2.0.0 written to ${name}` }
      return accepted
    }).pipe(
      Effect.catchTag("UnknownError", (error) => {
        // The disk is full or not writable: no file exists, and a later attempt may succeed.
        const refused: Outcome = { _tag: "refused", code: 452, reply: `452 4.3.1 ${String(error.cause)}` }
        return Effect.as(Effect.logWarning("mail could not be written to a file", error.cause), refused)
      }),
    ),
  abandon: Effect.void,
})

const nameOf = (at_ms: number, to: string): string => {
  const time = new Date(at_ms).toISOString().replace(/[:.]/g, "-")
  const recipient = to.replace(/[^A-Za-z0-9@._+-]/g, "_").slice(0, 100)
  return `${time}_${recipient}_${randomUUID().slice(0, 8)}.eml`
}

/** The envelope comes first, in the headers that a final mail server writes (RFC 5321 §4.4). */
const write = async (folder: string, name: string, envelope: Envelope, message: Uint8Array): Promise<void> => {
  const temporary = join(folder, `.${name}.part`)
  const head = Buffer.from(`Return-Path: <${envelope.from}>\r\nDelivered-To: ${envelope.to}\r\n`, "utf8")
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(temporary, Buffer.concat([head, message]), { mode: 0o600 })
  await rename(temporary, join(folder, name))
}
