// Decoding of one item of a bulk request. All problems of an item are reported at once, and reject only this item.
import { Result, Schema } from "effect"
import { issuesOf } from "../../kernel/Refusal.ts"
import { isBlank } from "../../kernel/Text.ts"
import { type Alias, aliasFault, isAlias } from "../Alias.ts"
import { promptOf, variablesOf, type Variables } from "../Variables.ts"
import { page_prompt_length_max, tent_name_length_max } from "../Tent.ts"

export const client_item_id_length_max = 255

export interface BulkItem {
  readonly tentName: string | null
  /** The data line by line, then the instructions. */
  readonly prompt: string
  /** Values of the variables in the template and the instructions. */
  readonly variables: Variables
  readonly includeBrand: boolean
  readonly alias: Alias | null
}

/** `clientItemId` and `aliasAsSent` are read from a rejected item too, if they can be. */
export type ReadBulkItem = {
  readonly clientItemId: string | null
  readonly aliasAsSent: string | null
} & ({ readonly read: BulkItem } | { readonly read: null; readonly fault: string })

const atMost = (length_max: number) =>
  Schema.String.check(Schema.isMaxLength(length_max, { message: `must have at most ${length_max} characters` }))

/** A valid item. The API description shows this schema. */
export const BulkItemShape = Schema.Struct({
  input_data: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Any).annotate({
      message: "must be an object",
      description:
        "Values of the `{{api.…}}` variables in the template, and content of the page by key; applied before the instructions",
      examples: [{ city: "Ulm", opening: "9 to 17 h" }],
    }),
  ),
  instructions: Schema.optionalKey(
    atMost(page_prompt_length_max).annotate({
      description: "Further guidance. `input_data` or `instructions` is required",
    }),
  ),
  client_item_id: Schema.optionalKey(atMost(client_item_id_length_max)),
  tent_name: Schema.optionalKey(atMost(tent_name_length_max)),
  custom_page_alias: Schema.optionalKey(
    Schema.String.annotate({ description: "Requires `auto_publish: true` in the request" }),
  ),
  include_brand: Schema.optionalKey(Schema.Boolean),
})

const decode = Schema.decodeUnknownResult(BulkItemShape, { errors: "all", onExcessProperty: "error" })

export const readBulkItem = (raw: unknown, { autoPublish }: { readonly autoPublish: boolean }): ReadBulkItem => {
  const decoded = decode(raw)
  const texts = textsOf(raw)
  if (Result.isFailure(decoded)) {
    const faults = issuesOf(decoded.failure).map(({ path, message }) => `${path === "" ? "the item" : path} ${message}`)
    return { ...texts, read: null, fault: faults.slice(0, faults_max).join("; ") }
  }
  const item = decoded.success
  const faults = faultsOf(item, autoPublish)
  if (faults.length > 0) return { ...texts, read: null, fault: faults.join("; ") }
  const { custom_page_alias: alias } = item
  return {
    ...texts,
    read: {
      tentName: item.tent_name ?? null,
      prompt: promptOf(item.input_data ?? {}, item.instructions ?? ""),
      variables: variablesOf(item.input_data ?? {}),
      includeBrand: item.include_brand ?? false,
      alias: alias !== undefined && isAlias(alias) ? alias : null,
    },
  }
}

const faults_max = 10

/** The texts that identify an item, also when the item is invalid. */
const textsOf = (raw: unknown): { readonly clientItemId: string | null; readonly aliasAsSent: string | null } => {
  const text = (key: string, length_max: number): string | null => {
    const value: unknown = typeof raw === "object" && raw !== null ? Reflect.get(raw, key) : null
    return typeof value === "string" && value.length <= length_max ? value : null
  }
  return {
    clientItemId: text("client_item_id", client_item_id_length_max),
    aliasAsSent: text("custom_page_alias", alias_shown_max),
  }
}

const alias_shown_max = 200

type Shape = typeof BulkItemShape.Type

const faultsOf = (item: Shape, autoPublish: boolean): ReadonlyArray<string> => {
  const { tent_name: name, custom_page_alias: alias } = item
  const prompt = promptOf(item.input_data ?? {}, item.instructions ?? "")
  const aliasWrong = alias === undefined ? null : aliasFault(alias)
  return [
    ...(isBlank(prompt) ? ["input_data or instructions is needed: say what the page is to show"] : []),
    ...(prompt.length > page_prompt_length_max
      ? [`input_data and instructions must have at most ${page_prompt_length_max} characters together`]
      : []),
    ...(name !== undefined && isBlank(name) ? [`tent_name must have 1 to ${tent_name_length_max} characters`] : []),
    ...(alias !== undefined && !autoPublish ? ["custom_page_alias needs auto_publish: true"] : []),
    ...(aliasWrong === null ? [] : [`custom_page_alias ${aliasWrong}`]),
  ]
}
