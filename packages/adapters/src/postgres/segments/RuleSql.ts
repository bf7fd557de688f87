// Rule trees as SQL: one parameterised condition over the alias `c` of `fenced_contact`. It selects exactly the contacts that
// core's evaluator matches. Text is compared in its folded form, custom numbers and dates in their number columns, activities
// and lists by EXISTS.
import { PgClient, PgTypes } from "@effect/sql-pg"
import type { Tags } from "@tentpole/core/contacts/Contact"
import { standardFieldByKey, type StandardField } from "@tentpole/core/contacts/ContactFields"
import { type FieldDefinitionId, ListId, TopicId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { DynamicList, StaticList, SystemList } from "@tentpole/core/lists/List"
import { type RuleContext, wantedTags, windowStart } from "@tentpole/core/segments/Evaluate"
import { type RuleField, RuleFactsStore } from "@tentpole/core/segments/RuleFacts"
import type {
  ActivityCondition,
  ContactCondition,
  CustomFieldCondition,
  ListMembershipCondition,
  RuleCondition,
  RuleNode,
  RuleTree,
  TopicCondition,
  ValueOperator,
} from "@tentpole/core/segments/RuleTree"
import { day_ms, timeRangeOf } from "@tentpole/core/segments/TimeRange"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"
import { containing, endingWith, startingWith } from "../kernel/Like.ts"
import { numberColumn } from "../contacts/NumberColumns.ts"
import { activitiesOfType } from "../contacts/Timeline.ts"
import { Reads } from "../kernel/Postgres.ts"

type Fragment = Statement.Fragment
type Sql = PgClient.PgClient

/** A custom field and its number column. */
export interface ComparedField extends RuleField {
  /** The number column of `contact` that is assigned to it, if any. */
  readonly column: string | null
}

/** The inputs of a condition: `comparedFields` of the fields that the tree names, and the end of its time windows. */
export interface SqlReading extends RuleContext {
  readonly fields: ReadonlyArray<ComparedField>
}

/** The contacts that a tree matches, as a WHERE condition. It is false or null for other contacts. */
export const ruleCondition = (sql: Sql, workspace: WorkspaceId, tree: RuleTree, reading: SqlReading): Fragment =>
  nodeCondition({ sql, workspace, reading }, tree)

/** The part of a list that selects contacts. */
export type AudienceList =
  | Pick<StaticList, "kind" | "id">
  | Pick<DynamicList, "kind" | "id" | "rules">
  | Pick<SystemList, "kind" | "id" | "systemList">

/** The contacts of a list of any kind, as a WHERE condition over `fenced_contact c`. */
export const audienceCondition = (
  sql: Sql,
  workspace: WorkspaceId,
  list: AudienceList,
  reading: SqlReading,
): Fragment => {
  switch (list.kind) {
    case "static":
      return memberOf({ sql, workspace }, list.id)
    case "dynamic":
      return list.rules === null ? sql.literal("false") : ruleCondition(sql, workspace, list.rules, reading)
    case "system":
      return sql.literal(list.systemList === "all_contacts" ? "true" : "c.unsubscribed")
  }
}

interface CompileContext {
  readonly sql: Sql
  readonly workspace: WorkspaceId
  readonly reading: SqlReading
}

const nodeCondition = (compiling: CompileContext, node: RuleNode): Fragment => {
  if (node.kind === "condition") return sourceCondition(compiling, node)
  const { sql } = compiling
  const parts = node.conditions.map((each) => nodeCondition(compiling, each))
  return node.operator === "and" ? sql.and(parts) : sql.or(parts)
}

const sourceCondition = (compiling: CompileContext, condition: RuleCondition): Fragment => {
  switch (condition.source) {
    case "contact":
      return contactCondition(compiling.sql, condition)
    case "custom_field":
      return customFieldCondition(compiling, condition)
    case "activity":
      return activityCondition(compiling, condition)
    case "list_membership":
      return membershipCondition(compiling, condition)
    case "topic":
      return topicCondition(compiling, condition)
  }
}

const contactCondition = (sql: Sql, { field: key, operator, value }: ContactCondition): Fragment => {
  const field = standardFieldByKey.get(key)
  if (field === undefined) return sql.literal("false")
  const column = sql.literal(columnOf(field))
  switch (field.valueType) {
    case "string":
      return textCondition(sql, column, operator, String(value))
    case "number":
      return numberCondition(sql, column, operator, Number(value))
    case "boolean":
      return booleanCondition(sql, column, operator)
    case "date":
      return dateCondition(
        sql,
        column,
        operator,
        boundsOf(String(value), (epoch_ms) => instant(sql, epoch_ms)),
      )
  }
}

/** Phone numbers have no folded column: they are in E.164 format. */
const columnOf = (field: StandardField): string =>
  field.kind === "text" || field.kind === "email" ? `c.${field.apiName}_folded` : `c.${field.apiName}`

const customFieldCondition = (
  { sql, reading }: CompileContext,
  { fieldDefinitionId, operator, value }: CustomFieldCondition,
): Fragment => {
  const field = reading.fields.find((each) => each.id === fieldDefinitionId)
  // An archived field matches no contact, also under negative operators, which would match all.
  if (field === undefined || field.status === "archived") return sql.literal("false")
  const { apiName, column } = field
  const stored = sql`((c.custom_fields ->> ${apiName}::text) collate "C")`
  switch (field.valueType) {
    case "string":
      return customTextCondition(sql, apiName, operator, String(value))
    case "number": {
      const number = column === null ? sql`${stored}::double precision` : sql.literal(`c.${column}`)
      return numberCondition(sql, number, operator, Number(value))
    }
    case "boolean":
      return customBooleanCondition(sql, apiName, stored, operator)
    case "date":
      return column === null
        ? dateCondition(sql, stored, operator, boundsOf(String(value), dateText))
        : dateCondition(sql, sql.literal(`c.${column}`), operator, boundsOf(String(value), PgTypes.float8))
    case "tags":
      return tagsCondition(sql, apiName, operator, wantedTags(value)) ?? emptiness(sql, stored, operator)
  }
}

/** Uses the index of custom values for equality; other operators compare text. */
const customTextCondition = (sql: Sql, apiName: string, operator: ValueOperator, value: string): Fragment => {
  const stored = sql`((c.custom_fields_folded ->> ${apiName}::text) collate "C")`
  return operator === "equals"
    ? sql`c.custom_fields_folded @> ${sql.json({ [apiName]: fold(value) })}`
    : textCondition(sql, stored, operator, value)
}

const customBooleanCondition = (sql: Sql, apiName: string, stored: Fragment, operator: ValueOperator): Fragment =>
  operator === "is_true" || operator === "is_false"
    ? sql`c.custom_fields_folded @> ${sql.json({ [apiName]: operator === "is_true" })}`
    : emptiness(sql, stored, operator)

/** The index of custom values finds each word. Null for operators without words. */
const tagsCondition = (sql: Sql, apiName: string, operator: ValueOperator, words: Tags): Fragment | null => {
  const having = (some: Tags) => sql`c.custom_fields_folded @> ${sql.json({ [apiName]: some })}`
  const any = () => (words.length === 0 ? sql.literal("false") : sql.or(words.map((word) => having([word]))))
  switch (operator) {
    case "contains_any":
      return any()
    case "contains_none":
      return sql`not (${any()})`
    case "contains_all":
      return words.length === 0 ? sql.literal("false") : having(words)
    default:
      return null
  }
}

const activityCondition = (compiling: CompileContext, condition: ActivityCondition): Fragment => {
  const found = compiling.sql`exists (select ${didSince(compiling, condition)} and a.contact_id = c.contact_id)`
  return condition.operator === "has_activity" ? found : compiling.sql`not ${found}`
}

/** `from … where …`: the activities that a condition matches, of any contact, under the alias `a`. */
export const didSince = (
  { sql, workspace, reading }: CompileContext,
  { activityType, timeWindow }: Pick<ActivityCondition, "activityType" | "timeWindow">,
): Fragment => {
  const since =
    timeWindow === undefined
      ? sql.literal("true")
      : sql`a.at >= ${instant(sql, windowStart(reading.now, timeWindow).epochMilliseconds)}`
  return sql`from ${activitiesOfType(sql, workspace, activityType)} as a where ${since}`
}

const membershipCondition = (compiling: CompileContext, { listId, operator }: ListMembershipCondition): Fragment => {
  const found = memberOf(compiling, listId)
  return operator === "is_member" ? found : compiling.sql`not ${found}`
}

const memberOf = ({ sql, workspace }: Pick<CompileContext, "sql" | "workspace">, list: ListId): Fragment =>
  sql`exists (select from list_member m
    where m.workspace_id = ${workspace} and m.list_id = ${list} and m.contact_id = c.contact_id)`

/**
 * The default of the topic is read once, and what is recorded is found by the topic or by the contact, as the planner chooses. It is
 * null for a deleted topic: such a condition holds for no contact, nor does its complement.
 */
const topicCondition = ({ sql, workspace }: CompileContext, { operator, topicId }: TopicCondition): Fragment => {
  const recorded = (status: string) => sql`exists (select from topic_choice h
    where h.workspace_id = ${workspace} and h.topic_id = ${topicId} and h.contact_id = c.contact_id
      and h.status ${sql.literal(status)})`
  if (operator === "is_pending") return recorded("= 'pending'")
  const isDefault = sql`(select o.default_subscription = 'subscribed' from topic o
    where o.workspace_id = ${workspace} and o.topic_id = ${topicId})`
  const subscribed = sql`(not c.unsubscribed and ${isDefault} is not null and case when ${isDefault}
    then not ${recorded("<> 'subscribed'")} else ${recorded("= 'subscribed'")} end)`
  return operator === "is_subscribed" ? subscribed : sql`(${isDefault} is not null and not ${subscribed})`
}

/** Unicode's White_Space, as in core's `Text.trim`. */
const white_space =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

/** Empty or only white space, as in core's `Text.isBlank`. */
export const isBlankText = (sql: Sql, text: Fragment): Fragment =>
  sql`(coalesce(btrim(${text}, ${white_space}), '') = '')`

/** The SQL of the operators of a type; those of emptiness are the same for most types. */
type Comparisons = { readonly [Operator in ValueOperator]?: Fragment }

const textCondition = (sql: Sql, column: Fragment, operator: ValueOperator, value: string): Fragment => {
  const folded = fold(value)
  const comparisons: Comparisons = {
    equals: sql`${column} = ${folded}`,
    not_equals: sql`${column} is distinct from ${folded}`,
    contains: containing(sql, column, folded),
    not_contains: sql`(${containing(sql, column, folded)}) is not true`,
    starts_with: startingWith(sql, column, folded),
    ends_with: endingWith(sql, column, folded),
    is_empty: isBlankText(sql, column),
    is_not_empty: sql`btrim(${column}, ${white_space}) <> ''`,
  }
  return comparisons[operator] ?? sql.literal("false")
}

const numberCondition = (sql: Sql, column: Fragment, operator: ValueOperator, value: number): Fragment => {
  const given = PgTypes.float8(value)
  const comparisons: Comparisons = {
    equals: sql`${column} = ${given}`,
    not_equals: sql`${column} is distinct from ${given}`,
    greater_than: sql`${column} > ${given}`,
    greater_than_or_equal: sql`${column} >= ${given}`,
    less_than: sql`${column} < ${given}`,
    less_than_or_equal: sql`${column} <= ${given}`,
  }
  return comparisons[operator] ?? emptiness(sql, column, operator)
}

const booleanCondition = (sql: Sql, column: Fragment, operator: ValueOperator): Fragment => {
  const comparisons: Comparisons = { is_true: sql`${column} is true`, is_false: sql`${column} is false` }
  return comparisons[operator] ?? emptiness(sql, column, operator)
}

/** The bounds of a date as parameters: `from` is inclusive, `until` is exclusive. */
interface Bounds {
  readonly from: unknown
  readonly until: unknown
}

const boundsOf = (value: string, parameter: (epoch_ms: number) => unknown): Bounds | undefined => {
  const range = timeRangeOf(value)
  return range && { from: parameter(range.from), until: parameter(range.until) }
}

/** The beginning of the year 10000: instants with a four-digit year are before it. */
const after_all_ms = 253_402_300_800_000

const isoText = (epoch_ms: number): string => DateTime.formatIso(DateTime.makeUnsafe(epoch_ms))

/** As text, because the client's binary form of an instant is not exact in distant years. */
const instant = (sql: Sql, epoch_ms: number): Fragment =>
  sql`${epoch_ms >= after_all_ms ? "infinity" : isoText(epoch_ms)}::timestamptz`

/**
 * An instant as custom dates are written, so that text comparison orders them by time. They are UTC days or timestamps. The
 * beginning of a day is written without its time, which sorts before both spellings of it. `:` sorts after every digit and
 * therefore after every year.
 */
const dateText = (epoch_ms: number): string =>
  epoch_ms >= after_all_ms ? ":" : isoText(epoch_ms).slice(0, epoch_ms % day_ms === 0 ? 10 : undefined)

const dateCondition = (sql: Sql, column: Fragment, operator: ValueOperator, bounds: Bounds | undefined): Fragment => {
  if (bounds === undefined) return emptiness(sql, column, operator)
  const { from, until } = bounds
  const comparisons: Comparisons = {
    equals: sql`(${column} >= ${from} and ${column} < ${until})`,
    not_equals: sql`(${column} >= ${from} and ${column} < ${until}) is not true`,
    greater_than: sql`${column} >= ${until}`,
    greater_than_or_equal: sql`${column} >= ${from}`,
    less_than: sql`${column} < ${from}`,
    less_than_or_equal: sql`${column} < ${until}`,
  }
  return comparisons[operator] ?? emptiness(sql, column, operator)
}

const emptiness = (sql: Sql, column: Fragment, operator: ValueOperator): Fragment => {
  const comparisons: Comparisons = { is_empty: sql`${column} is null`, is_not_empty: sql`${column} is not null` }
  return comparisons[operator] ?? sql.literal("false")
}

/** The custom fields of these ids and `api_name`s, in any status, in the caller's fence. */
export const comparedFields = (
  sql: Sql,
  workspace: WorkspaceId,
  ids: ReadonlyArray<FieldDefinitionId>,
  names: ReadonlyArray<string> = [],
) =>
  ids.length === 0 && names.length === 0
    ? Effect.succeed([])
    : Effect.map(
        sql<RuleField & { readonly place: number | null }>`
          select field_definition_id as id, api_name as "apiName", display_name as "displayName",
            value_type as "valueType", status, provenance_provider as "provenanceProvider", number_column as place
          from contact_field
          where workspace_id = ${workspace}
            and (field_definition_id = any(${texts(ids)}::uuid[]) or api_name = any(${texts(names)}::text[]))`,
        (rows): ReadonlyArray<ComparedField> =>
          rows.map(({ place, ...field }) => ({ ...field, column: place === null ? null : numberColumn(place) })),
      )

/** A cache of number columns for each client. An assignment never changes. */
const knownColumns = new WeakMap<Sql, Map<FieldDefinitionId, string>>()

/** Adds their number columns to fields, in the caller's fence. */
export const withColumns = (sql: Sql, workspace: WorkspaceId, fields: ReadonlyArray<RuleField>) => {
  const known = knownColumns.get(sql) ?? new Map<FieldDefinitionId, string>()
  knownColumns.set(sql, known)
  const unknown = fields.flatMap(({ id, valueType }) =>
    (valueType === "number" || valueType === "date") && !known.has(id) ? [id] : [],
  )
  return Effect.map(comparedFields(sql, workspace, unknown), (compared): ReadonlyArray<ComparedField> => {
    for (const { id, column } of compared) if (column !== null) known.set(id, column)
    return fields.map((field) => ({ ...field, column: known.get(field.id) ?? null }))
  })
}

const staticLists = (sql: Sql, workspace: WorkspaceId, ids: ReadonlyArray<ListId>) =>
  ids.length === 0
    ? Effect.succeed(new Set<ListId>())
    : Effect.map(
        sql<{ readonly list_id: string }>`
          select list_id from list
          where workspace_id = ${workspace} and kind = 'static' and owner_blast_id is null
            and list_id = any(${texts(ids)}::uuid[])`,
        (rows) => new Set(rows.map((row) => ListId.make(row.list_id))),
      )

const knownTopics = (sql: Sql, workspace: WorkspaceId, ids: ReadonlyArray<TopicId>) =>
  ids.length === 0
    ? Effect.succeed(new Set<TopicId>())
    : Effect.map(
        sql<{ readonly topic_id: string }>`
          select topic_id from topic where workspace_id = ${workspace} and topic_id = any(${texts(ids)}::uuid[])`,
        (rows) => new Set(rows.map((row) => TopicId.make(row.topic_id))),
      )

export const layer = Layer.effect(
  RuleFactsStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { within } = yield* Reads
    return RuleFactsStore.of({
      of: (workspace, { fields, lists, fieldNames = [], topics = [] }) =>
        fields.length + lists.length + fieldNames.length + topics.length === 0
          ? Effect.succeed({ fields: [], staticLists: new Set(), topics: new Set() })
          : within(
              workspace,
              Effect.all({
                fields: Effect.map(comparedFields(sql, workspace, fields, fieldNames), (compared) =>
                  compared.map(({ column: _, ...field }) => field),
                ),
                staticLists: staticLists(sql, workspace, lists),
                topics: knownTopics(sql, workspace, topics),
              }),
            ),
    })
  }),
)
