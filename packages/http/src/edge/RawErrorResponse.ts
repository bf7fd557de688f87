// Refusals of what never comes to a router: the same words and headers as those of every other refusal.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { randomUUID } from "node:crypto"
import { body, table } from "./Errors.ts"

/** An answer with an id of its own, since none has been read; the connection ends with it. */
export const byHand = (code: ErrorCode, message: string) => {
  const { status, title } = table[code]
  const id = randomUUID()
  const json = JSON.stringify({ ...body(code, message), details: { request_id: id } })
  const headers = {
    Connection: "close",
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(json)),
    "X-Request-Id": id,
    "X-Content-Type-Options": "nosniff",
  }
  return { status, title, headers, json }
}
