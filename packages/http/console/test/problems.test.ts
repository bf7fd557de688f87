// Failures of calls as the console shows them.
import { ApiError, ConnectionFailed } from "@tentpole/client"
import { assert, describe, it } from "vitest"
import { fieldErrors, problemOf } from "../src/api/problems.ts"

const refusal = (status: number, more: Partial<ConstructorParameters<typeof ApiError>[0]> = {}) =>
  new ApiError<string>({
    code: "validation_failed",
    message: "The request is invalid",
    status,
    requestId: "req_1",
    issues: [],
    details: {},
    body: {},
    retryAfter_s: null,
    ...more,
  })

describe("problemOf", () => {
  it("names the kind of a failure by its status", () => {
    const kinds = [403, 404, 409, 422, 429, 500].map((status) => problemOf(refusal(status)).kind)
    assert.deepStrictEqual(kinds, ["role", "missing", "refused", "refused", "limited", "broken"])
    assert.strictEqual(problemOf(new ConnectionFailed({ message: "No answer" })).kind, "unreachable")
  })

  it("names the role that a call needs, from the details or the body", () => {
    assert.strictEqual(problemOf(refusal(403, { details: { needs: "sender" } })).needs, "sender")
    assert.strictEqual(problemOf(refusal(403, { body: { needs: "owner" } })).needs, "owner")
  })
})

describe("fieldErrors", () => {
  const error = refusal(400, {
    issues: [
      { path: "items.0.email", message: "is not an email address" },
      { path: "items", message: "has at most 100 entries" },
    ],
  })

  it("puts the issues of known paths beside their fields, and returns the others", () => {
    const nameOf = (path: string) => path.replace("items.0.", "")
    assert.deepStrictEqual(fieldErrors(error, ["email"], nameOf), {
      errors: { email: "is not an email address" },
      rest: ["has at most 100 entries"],
    })
  })
})
