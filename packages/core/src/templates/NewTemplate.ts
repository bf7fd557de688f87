// NewTemplate: the request for a new template, and its validation.
import { Result } from "effect"
import { document_name_length_max } from "../documents/Document.ts"
import { promptIssues } from "../documents/Generation.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import { isBlank } from "../kernel/Text.ts"

/** At most one of `html`, `prompt` and a source; with none of them it starts as a branded scaffold. */
export interface NewTemplate {
  readonly name: string
  readonly html?: string
  readonly prompt?: string
}

/** Reports every issue at once. `source`: the field that names the email or tent to start from. */
export const checkNewTemplate = (
  { name, html, prompt }: NewTemplate,
  source: { readonly path: string; readonly id: string | undefined },
): Result.Result<void, Invalid> => {
  const given = [["html", html] as const, [source.path, source.id] as const, ["prompt", prompt] as const].flatMap(
    ([path, value]) => (value === undefined ? [] : [path]),
  )
  const [first, ...others] = given
  const issues = [
    ...nameIssues(name),
    ...(prompt === undefined ? [] : promptIssues(prompt)),
    ...others.map((path) => ({ path, message: `can't be combined with ${first}: omit one of them` })),
  ]
  return issues.length === 0 ? Result.succeed(undefined) : Result.fail(new Invalid({ issues }))
}

export const checkName = (name: string): Result.Result<string, Invalid> => {
  const issues = nameIssues(name)
  return issues.length === 0 ? Result.succeed(name) : Result.fail(new Invalid({ issues }))
}

const nameIssues = (name: string): ReadonlyArray<Issue> =>
  !isBlank(name) && name.length <= document_name_length_max
    ? []
    : [{ path: "name", message: `must have 1 to ${document_name_length_max} characters` }]
