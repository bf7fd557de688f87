// Where the problems of a flow belong: to a step, to a trigger, or to the flow. Pure.
import { isSame } from "./flowDraft.ts"
import { type Step, stepOf, type Structure } from "./steps.ts"

export interface Issue {
  /** Field of the step or trigger; empty: all of it. */
  readonly key: string
  /** Code of a missing part. Null: the service refused what was sent. */
  readonly code: string | null
  /** The service's sentence. Null: the page noticed it, and the words say it. */
  readonly message: string | null
}

export interface Issues {
  /** By step id. */
  readonly steps: ReadonlyMap<string, ReadonlyArray<Issue>>
  /** By position. */
  readonly triggers: ReadonlyMap<number, ReadonlyArray<Issue>>
  readonly rest: ReadonlyArray<Issue>
}

/** What the service says of a path such as `steps.0.email_id`. */
interface Said {
  readonly path: string
  readonly message: string
  readonly code?: string
}

export const noIssues: Issues = { steps: new Map(), triggers: new Map(), rest: [] }

const put = <Key>(into: Map<Key, Array<Issue>>, key: Key, issue: Issue): void => {
  into.set(key, [...(into.get(key) ?? []), issue])
}

/** The issues at their places. `structure` is the one that the service spoke of. */
export const placed = (said: ReadonlyArray<Said>, structure: Structure): Issues => {
  const steps = new Map<string, Array<Issue>>()
  const triggers = new Map<number, Array<Issue>>()
  const rest: Array<Issue> = []
  for (const { code = null, message, path } of said) {
    const [part, index = "", ...keys] = path.split(".")
    const at = /^\d+$/.test(index) ? Number(index) : null
    const issue = { key: keys.join("."), code, message }
    const id = at === null ? undefined : structure.steps[at]?.step_id
    if (part === "steps" && id !== undefined) put(steps, id, issue)
    else if (part === "triggers" && at !== null) put(triggers, at, issue)
    else rest.push({ key: path, code, message })
  }
  return { steps, triggers, rest }
}

const isBlank = (value: unknown): boolean => value === null || value === undefined || value === ""

/** Fields that a step needs, as far as they are known without the service. */
const neededIn = (step: Step): ReadonlyArray<string> => {
  switch (step.type) {
    case "send_email":
      return [step.email_source === "flow_step" ? "create_email_step_id" : "email_id"]
    case "wait":
      return step.mode === "condition" ? ["condition"] : ["duration_amount", "duration_unit"]
    case "condition_check":
      return ["condition"]
    case "create_email":
      return step.template_mode === "generate" ? ["template_id", "prompt"] : ["template_id"]
    case "create_tent":
      return isBlank(step.template_id) ? ["prompt"] : []
  }
}

const fieldOf = (step: Step, key: string): unknown => (step as unknown as Readonly<Record<string, unknown>>)[key]

const noticed = (step: Step): ReadonlyArray<Issue> =>
  neededIn(step)
    .filter((key) => isBlank(fieldOf(step, key)))
    .map((key) => ({ key, code: "step_incomplete", message: null }))

/** What was said of another structure and still holds: of fields that are as they were then. */
export const holding = (said: Issues, then: Structure, now: Structure): Issues => {
  const isAsThen = isSame(then.steps, now.steps)
  const steps = now.steps.map((step): readonly [string, ReadonlyArray<Issue>] => {
    const before = stepOf(then, step.step_id)
    const still = (said.steps.get(step.step_id) ?? []).filter(({ key }) => {
      const [field = ""] = key.split(".")
      if (field === "" || before === undefined) return isAsThen
      return isSame(fieldOf(before, field), fieldOf(step, field))
    })
    return [step.step_id, still]
  })
  return {
    steps: new Map(steps.filter(([, issues]) => issues.length > 0)),
    triggers: new Map([...said.triggers].filter(([at]) => isSame(then.triggers[at], now.triggers[at]))),
    rest: said.rest.filter(({ key }) =>
      key === "steps" ? now.steps.length === 0 : key !== "triggers" || now.triggers.length === 0,
    ),
  }
}

/** The issues, and what the page notices of steps that the service has not seen as they are. */
export const withNoticed = (issues: Issues, base: Structure, now: Structure): Issues => {
  const found = now.steps.flatMap((step): ReadonlyArray<readonly [string, ReadonlyArray<Issue>]> => {
    if (isSame(stepOf(base, step.step_id), step)) return []
    const known = issues.steps.get(step.step_id) ?? []
    const more = noticed(step).filter(({ key }) => known.every((each) => each.key !== key))
    return more.length === 0 ? [] : [[step.step_id, more]]
  })
  return merged(issues, { ...noIssues, steps: new Map(found) })
}

export const merged = (left: Issues, right: Issues): Issues => ({
  steps: mergedMaps(left.steps, right.steps),
  triggers: mergedMaps(left.triggers, right.triggers),
  rest: [...left.rest, ...right.rest],
})

type ByKey<Key> = ReadonlyMap<Key, ReadonlyArray<Issue>>

const mergedMaps = <Key>(left: ByKey<Key>, right: ByKey<Key>): ByKey<Key> =>
  new Map(
    [...new Set([...left.keys(), ...right.keys()])].map((key) => [
      key,
      [...(left.get(key) ?? []), ...(right.get(key) ?? [])],
    ]),
  )

/** Warnings do not prevent an activation. */
export const isWarning = ({ code }: Issue): boolean => code === "unreachable_step" || code === "topic_ignored"

export const allOf = ({ rest, steps, triggers }: Issues): ReadonlyArray<Issue> => [
  ...rest,
  ...[...triggers.values()].flat(),
  ...[...steps.values()].flat(),
]
