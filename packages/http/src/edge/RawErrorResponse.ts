// Error responses that are written before the router, with the same body and headers as other errors.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { randomUUID } from "node:crypto"
import { body, table } from "./Errors.ts"

/** An error response with a new request id, since none was read. It closes the connection. */
export const rawErrorResponse = (code: ErrorCode, message: string) => {
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
