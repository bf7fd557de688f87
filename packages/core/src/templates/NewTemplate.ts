// What a caller says of a new template, and what can be told to be wrong with it without asking anybody.
import { Result } from "effect"
import { promptIssues } from "../documents/Generation.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import { isBlank } from "../kernel/Text.ts"
import { template_name_length_max } from "./TemplateChange.ts"

/** At most one of `html`, `prompt` and what it can be made from; with none of them it begins blank and branded. */
export interface NewTemplate {
  readonly name: string
  readonly html?: string
  readonly prompt?: string
}

/** Passes, or every fault at once. `source`: what else it can be made from, by its name on the wire. */
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
  !isBlank(name) && name.length <= template_name_length_max
    ? []
    : [{ path: "name", message: `must have 1 to ${template_name_length_max} characters` }]
