// Failures as the console shows them: which kind it is, and the issues of a request by the path of their field.
import { ApiError, ConnectionFailed, UnexpectedAnswer } from "@tentpole/client/Failures"

export interface Problem {
  readonly kind: "refused" | "role" | "missing" | "limited" | "unreachable" | "broken"
  /** The service's own sentence. Null for failures of the network and of the console. */
  readonly message: string | null
  readonly code: string | null
  readonly requestId: string | null
  readonly issues: ReadonlyArray<{ readonly path: string; readonly message: string }>
  readonly retryAfter_s: number | null
  /** The role that the call needs. */
  readonly needs: string | null
}

const kindOf = (status: number): Problem["kind"] => {
  switch (status) {
    case 403:
      return "role"
    case 404:
      return "missing"
    case 429:
      return "limited"
    default:
      return status >= 500 ? "broken" : "refused"
  }
}

const none = { code: null, requestId: null, issues: [], retryAfter_s: null, needs: null }

const isRefusal = (error: unknown): error is ApiError<string> => error instanceof ApiError

export const problemOf = (error: unknown): Problem => {
  if (isRefusal(error)) {
    const { body, code, details, issues, message, requestId, retryAfter_s, status } = error
    const needs = details["needs"] ?? body["needs"]
    const role = typeof needs === "string" ? needs : null
    return { kind: kindOf(status), message, code, requestId, issues, retryAfter_s, needs: role }
  }
  if (error instanceof ConnectionFailed) return { ...none, kind: "unreachable", message: null }
  if (error instanceof UnexpectedAnswer) return { ...none, kind: "broken", message: null, requestId: error.requestId }
  return { ...none, kind: "broken", message: error instanceof Error ? error.message : null }
}

/**
 * Messages for the fields of a form, by their names, and the issues that no field takes. `fields` are pairs of the path of
 * an issue and the name of a field; without it, the path is the name.
 */
export const fieldErrors = (
  error: unknown,
  fields: ReadonlyArray<string>,
  nameOf: (path: string) => string = (path) => path,
) => {
  const named = problemOf(error).issues.map(({ message, path }) => ({ name: nameOf(path), message }))
  return {
    errors: Object.fromEntries(
      named.filter(({ name }) => fields.includes(name)).map((each) => [each.name, each.message]),
    ),
    rest: named.filter(({ name }) => !fields.includes(name)).map(({ message }) => message),
  }
}
