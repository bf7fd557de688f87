// References of a flow to things of other rooms, and the check that these exist.
import { Result } from "effect"
import { readValue } from "../../contacts/values/FieldValue.ts"
import type { EmailId, EmailTemplateId, ListId, TentId, TentTemplateId, TopicId } from "../../kernel/Ids.ts"
import { below } from "../../kernel/Decoding.ts"
import { type Issue, NotFound } from "../../kernel/Refusal.ts"
import { valueless, valueOperators } from "../../segments/Operators.ts"
import { archivedFieldMessage, referenceIssues } from "../../segments/Parse.ts"
import type { RuleFacts } from "../../segments/RuleFacts.ts"
import type { StepCondition } from "../../segments/RuleSchema.ts"
import { referencesOf, type Leaf, leavesOf, type RuleReferences } from "../../segments/RuleTree.ts"
import type { Structure } from "./FlowSchema.ts"
import { treesOf } from "./Flow.ts"
import type { Step } from "./Step.ts"
import { type ContactUpdatedTrigger, type DateTrigger, fieldNamed, type ListTrigger, type Trigger } from "./Trigger.ts"

/** A part of a flow and its path in the request. */
export interface Piece<Value> {
  readonly path: string
  readonly value: Value
}

/** All parts of a flow that can have references. */
export interface Pieces {
  readonly triggers: ReadonlyArray<Piece<Trigger>>
  readonly steps: ReadonlyArray<Piece<Step>>
  readonly conditions: ReadonlyArray<Leaf<StepCondition>>
}

export interface NamedByFlow extends RuleReferences {
  /** Field names of triggers: the `api_name`s of custom fields, standard fields and unknown names. */
  readonly fieldNames: ReadonlyArray<string>
  readonly emails: ReadonlyArray<EmailId>
  readonly emailTemplates: ReadonlyArray<EmailTemplateId>
  readonly tentTemplates: ReadonlyArray<TentTemplateId>
  readonly tents: ReadonlyArray<TentId>
  /** Of steps that send. */
  readonly stepTopics: ReadonlyArray<TopicId>
}

/** The references that exist. `fields`: by id and by `api_name`, active and archived. */
export interface NamedFacts extends RuleFacts {
  /** Dynamic and system lists: they exist, but contacts can't be added to them. */
  readonly otherLists: ReadonlySet<ListId>
  readonly emails: ReadonlySet<EmailId>
  readonly emailTemplates: ReadonlySet<EmailTemplateId>
  readonly tentTemplates: ReadonlySet<TentTemplateId>
  readonly tents: ReadonlySet<TentId>
  readonly stepTopics: ReadonlySet<TopicId>
}

export const namedByFlow = (structure: Structure): NamedByFlow =>
  namedBy({
    triggers: structure.triggers.map((value, index) => ({ value, path: `triggers.${index}` })),
    steps: structure.steps.map((value, index) => ({ value, path: `steps.${index}` })),
    conditions: treesOf(structure).flatMap((tree) => leavesOf(tree)),
  })

export const namedBy = ({ triggers, steps, conditions }: Pieces): NamedByFlow => {
  const { fields, lists, topics } = referencesOf(conditions.map(({ condition }) => condition))
  const ofTriggers = <Id>(pick: (trigger: Trigger) => Id | null): ReadonlyArray<Id> => unique(triggers, pick)
  const ofSteps = <Id>(pick: (step: Step) => Id | null): ReadonlyArray<Id> => unique(steps, pick)
  return {
    fields,
    topics,
    lists: [...new Set([...lists, ...ofTriggers((trigger) => ("list_id" in trigger ? trigger.list_id : null))])],
    fieldNames: ofTriggers((trigger) => ("field" in trigger ? trigger.field : null)),
    emails: ofSteps((step) => (step.type === "send_email" ? step.email_id : null)),
    emailTemplates: ofSteps((step) => (step.type === "create_email" ? step.template_id : null)),
    tentTemplates: ofSteps((step) => (step.type === "create_tent" ? step.template_id : null)),
    tents: ofTriggers((trigger) => ("tent_id" in trigger ? trigger.tent_id : null)),
    stepTopics: ofSteps((step) => (step.type === "send_email" ? step.topic_id : null)),
  }
}

const unique = <Value, Id>(
  pieces: ReadonlyArray<Piece<Value>>,
  pick: (value: Value) => Id | null,
): ReadonlyArray<Id> => [...new Set(pieces.flatMap(({ value }) => pick(value) ?? []))]

/** Issues, and ids that do not exist. */
type Faults = ReadonlyArray<Issue | NotFound>

/** The faults of the references. */
export const checkReferences = ({ triggers, steps, conditions }: Pieces, facts: NamedFacts) => {
  const faults = [
    ...steps.flatMap(({ value, path }) => ofStep(value, path, facts)),
    ...triggers.flatMap(({ value, path }) => ofTrigger(value, path, facts)),
    ...conditions.flatMap((leaf) => referenceIssues(leaf, facts)),
  ]
  const missing = faults.filter((fault) => fault instanceof NotFound)
  return { issues: faults.filter((fault): fault is Issue => !(fault instanceof NotFound)), missing }
}

/** Requires that the id exists. */
const exists = <Id>(id: Id | null, known: ReadonlySet<Id>, resource: string, path: string): Faults =>
  id === null || known.has(id) ? [] : [new NotFound({ resource, path })]

const ofStep = (step: Step, path: string, facts: NamedFacts): Faults => {
  switch (step.type) {
    case "send_email":
      return [
        ...exists(step.email_id, facts.emails, "email", below(path, "email_id")),
        ...exists(step.topic_id, facts.stepTopics, "topic", below(path, "topic_id")),
      ]
    case "create_email":
      return exists(step.template_id, facts.emailTemplates, "email template", below(path, "template_id"))
    case "create_tent":
      return exists(step.template_id, facts.tentTemplates, "tent template", below(path, "template_id"))
    default:
      return []
  }
}

const ofTrigger = (trigger: Trigger, path: string, facts: NamedFacts): Faults => {
  switch (trigger.type) {
    case "added_to_static_list":
    case "removed_from_static_list":
      return ofList(trigger, below(path, "list_id"), facts)
    case "contact_updated":
    case "date_based":
      return ofField(trigger, path, facts)
    case "form_submitted":
      return exists(trigger.tent_id, facts.tents, "tent", below(path, "tent_id"))
    default:
      return []
  }
}

const ofList = ({ list_id }: ListTrigger, path: string, { staticLists, otherLists }: NamedFacts): Faults =>
  list_id !== null && otherLists.has(list_id) && !staticLists.has(list_id)
    ? [{ path, message: "must be a static list: the rules of other lists decide who is in them" }]
    : exists(list_id, staticLists, "contact list", path)

const ofField = (trigger: ContactUpdatedTrigger | DateTrigger, path: string, { fields }: NamedFacts): Faults => {
  const { field: name } = trigger
  if (name === null) return []
  const at = (key: string, message: string): ReadonlyArray<Issue> => [{ path: below(path, key), message }]
  const field = fieldNamed(name, fields)
  if (field === undefined) {
    return at(
      "field",
      `"${name}" is neither a standard field in camelCase, such as leadStatus, nor a custom field's api_name`,
    )
  }
  const { isArchived, kind, moves, valueType } = field
  const archived = isArchived ? at("field", archivedFieldMessage(name)) : []
  if (trigger.type === "date_based") {
    const isDate = kind === "standard" ? name === "createdAt" : valueType === "date"
    return [...archived, ...(isDate ? [] : at("field", "must be createdAt or a custom field that holds dates"))]
  }
  const { operator, value } = trigger
  const known = valueOperators[valueType]
  const read =
    operator === "changed" || valueless.has(operator) || value === null ? null : readValue(valueType, value, "json")
  return [
    ...archived,
    ...(moves ? at("field", `${name} changes by itself; no update changes it, and this trigger would never fire`) : []),
    ...(operator === "changed" || known.includes(operator)
      ? read !== null && Result.isFailure(read)
        ? at("value", read.failure)
        : []
      : at("operator", `must be one of changed, ${known.join(", ")}`)),
  ]
}
