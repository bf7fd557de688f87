// What a flow's JSON names of other rooms, right or wrong, and what there is of it: asked for before the JSON is read.
import { EmailId, EmailTemplateId, ListId, TentId, TentTemplateId } from "../../kernel/Ids.ts"
import type { RuleFacts } from "../../segments/RuleFacts.ts"
import { isObject, type Json, type Mentioned, mentionedIn, uuidOf } from "../../segments/RuleTree.ts"
import { steps_max, triggers_max } from "./Flow.ts"

export interface NamedByFlow extends Mentioned {
  /** `api_name`s of custom fields, and other words that stood in their place. */
  readonly fieldNames: ReadonlyArray<string>
  readonly emails: ReadonlyArray<EmailId>
  readonly emailTemplates: ReadonlyArray<EmailTemplateId>
  readonly tentTemplates: ReadonlyArray<TentTemplateId>
  readonly tents: ReadonlyArray<TentId>
}

/** Of what was named, what there is. `fields`: those named by id and by `api_name`, in either status. */
export interface NamedFacts extends RuleFacts {
  /** Dynamic and system lists: they are there, but nobody is added to them. */
  readonly otherLists: ReadonlySet<ListId>
  readonly emails: ReadonlySet<EmailId>
  readonly emailTemplates: ReadonlySet<EmailTemplateId>
  readonly tentTemplates: ReadonlySet<TentTemplateId>
  readonly tents: ReadonlySet<TentId>
}

/**
 * What the body of a request names that has `triggers`, `steps`, `step` or `disqualification_rules`; the answer's JSON of a
 * flow is such a body, too.
 */
export const namedByFlow = (body: unknown): NamedByFlow => {
  const names = {
    fields: new Set<Mentioned["fields"][number]>(),
    lists: new Set<ListId>(),
    fieldNames: new Set<string>(),
    emails: new Set<EmailId>(),
    emailTemplates: new Set<EmailTemplateId>(),
    tentTemplates: new Set<TentTemplateId>(),
    tents: new Set<TentId>(),
  }
  const ofTree = (tree: unknown) => {
    const mentioned = mentionedIn(tree)
    for (const id of mentioned.fields) names.fields.add(id)
    for (const id of mentioned.lists) names.lists.add(id)
  }
  const root = isObject(body) ? body : {}
  ofTree(root["disqualification_rules"])
  for (const trigger of objectsOf(root["triggers"], triggers_max)) {
    if (typeof trigger["field"] === "string") names.fieldNames.add(trigger["field"])
    addId(names.lists, trigger["list_id"], ListId)
    addId(names.tents, trigger["tent_id"], TentId)
  }
  for (const step of [...objectsOf(root["steps"], steps_max), ...objectsOf([root["step"]], 1)]) {
    ofTree(step["condition"])
    addId(names.emails, step["email_id"], EmailId)
    // A patch of a step need not say which type it has.
    if (step["type"] !== "create_email") addId(names.tentTemplates, step["template_id"], TentTemplateId)
    if (step["type"] !== "create_tent") addId(names.emailTemplates, step["template_id"], EmailTemplateId)
  }
  return {
    fields: [...names.fields],
    lists: [...names.lists],
    fieldNames: [...names.fieldNames],
    emails: [...names.emails],
    emailTemplates: [...names.emailTemplates],
    tentTemplates: [...names.tentTemplates],
    tents: [...names.tents],
  }
}

const objectsOf = (value: unknown, count_max: number): ReadonlyArray<Json> =>
  Array.isArray(value) ? value.slice(0, count_max).filter(isObject) : []

const addId = <Id extends string>(ids: Set<Id>, value: unknown, brand: { readonly make: (id: string) => Id }): void => {
  const id = uuidOf(value)
  if (id !== undefined) ids.add(brand.make(id))
}
