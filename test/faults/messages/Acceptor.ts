// The program that accepts messages and is killed: it sends one message for each key, several at the same time, and reports each answer
// as `answered <key> <id>`.
import { Inside } from "../../support/Inside.ts"
import { EmailMessages } from "@tentpole/core/messages/EmailMessages"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect, Redacted } from "effect"
import { bodyOf, keyOf } from "./Requests.ts"

const { ACCEPT_FROM = "0", ACCEPT_TO = "0", DATABASE_URL = "", MESSAGE_DOMAIN = "", WORKSPACE = "" } = process.env
const together = 16

const inside = new Inside({ ...process.env } as Record<string, string>, Redacted.make(DATABASE_URL))
const workspace = WorkspaceId.make(WORKSPACE)
let next = Number(ACCEPT_FROM)

const loop = async (): Promise<void> => {
  while (next < Number(ACCEPT_TO)) {
    const number = next++
    const { message } = await inside.run(
      Effect.flatMap(EmailMessages, (all) => all.send(workspace, bodyOf(number, MESSAGE_DOMAIN), keyOf(number))),
    )
    process.stdout.write(`answered ${number} ${message.id}\n`)
  }
}

await inside.asOwner("select 1")
process.send?.("ready")
await Promise.all(Array.from({ length: together }, loop))
process.stdout.write("all\n")
