// The command `tentpole contact import`: a CSV file, its mapping, the import and the rejected rows.
import type { Client, ExecuteImport, ImportMapping, ImportPreview, ImportRun } from "@tentpole/client"
import { dateFormats, decimalSeparators } from "@tentpole/core/contacts/values/ValueFormat"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { openAsBlob } from "node:fs"
import { stat, writeFile } from "node:fs/promises"
import { basename, dirname, join, parse } from "node:path"
import { askable, confirmed, listOf, yesFlag } from "../../Answers.ts"
import { countOf } from "../../Figures.ts"
import { follow } from "../../Progress.ts"
import { attempt, CallFailed, connected } from "../../Remote.ts"
import { jsonFlag, print } from "../../Output.ts"
import { fieldsOf, tableOf } from "../../Table.ts"

export const fileArgument = Argument.String("file").pipe(Argument.withDescription("CSV file with a header line"))

export const rejectedFlag = Flag.String("rejected").pipe(
  Flag.withDescription("File for the rejected rows. Default: <file>-not-imported.csv"),
  Flag.optional,
)

const flags = {
  file: fileArgument,
  lists: Flag.String("list").pipe(
    Flag.withDescription("Adds the contacts to this static list: name or id. May be repeated"),
    Flag.atLeast(0),
  ),
  duplicates: Flag.Literals("duplicates", ["update", "skip"]).pipe(
    Flag.withDescription("What happens to rows of contacts that exist: update or skip"),
    Flag.withDefault("update" as const),
  ),
  invalidCell: Flag.Literals("on-invalid-cell", ["skip_row", "skip_cell"]).pipe(
    Flag.withDescription("What an invalid cell rejects: its row, or only itself"),
    Flag.withDefault("skip_row" as const),
  ),
  dateFormat: Flag.Literals("date-format", dateFormats).pipe(
    Flag.withDescription("The form of dates, for columns whose values leave it open"),
    Flag.optional,
  ),
  decimalSeparator: Flag.Literals("decimal-separator", decimalSeparators).pipe(
    Flag.withDescription("The decimal separator, for columns whose values leave it open"),
    Flag.optional,
  ),
  createFields: Flag.Boolean("create-fields").pipe(
    Flag.withDescription("Creates a custom field for each column that no field has"),
    Flag.withDefault(false),
  ),
  set: Flag.KeyValuePair("set").pipe(
    Flag.withDescription("Gives every row this value: <field>=<value>. May be repeated"),
    Flag.withDefault({}),
  ),
  rejected: rejectedFlag,
  yes: yesFlag,
  json: jsonFlag,
}

/** Uploads the file without reading it into memory. Returns the session. */
const uploaded = async (client: Client, file: string): Promise<string> => {
  const facts = await stat(file).catch((cause: unknown) => {
    throw new Error(`${file} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  })
  if (!facts.isFile()) throw new Error(`${file} is not a file.`)
  const body = await openAsBlob(file)
  const { import_session_id, upload_url = "" } = await client.imports.begin({
    payload: { source: "upload", file_name: basename(file) },
  })
  const answer = await fetch(upload_url, { method: "PUT", body })
  if (!answer.ok)
    throw new Error(`The upload of ${file} was refused (${answer.status}): ${(await answer.text()).slice(0, 300)}`)
  return import_session_id
}

/** Static lists only: others take no members. */
const listIds = (client: Client, names: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  Promise.all(
    names.map(async (name) => {
      const { kind, list_id } = await listOf(client, name)
      if (kind !== "static") throw new Error(`${name} is a ${kind} list. Contacts can be added to static lists only.`)
      return list_id
    }),
  )

interface MappingFlags {
  /** Field: value of every row. It replaces the field's column. */
  readonly set: Readonly<Record<string, string>>
  readonly dateFormat: Option.Option<(typeof dateFormats)[number]>
  readonly decimalSeparator: Option.Option<(typeof decimalSeparators)[number]>
}

type NewField = ImportPreview["field_creation_candidates"][number]

/** The fields that can be created for columns without a field. */
const newFieldsOf = ({ field_creation_candidates }: ImportPreview): ReadonlyArray<NewField> =>
  field_creation_candidates.filter(({ conflicts }) => conflicts.length === 0)

const createdFields = (client: Client, fields: ReadonlyArray<NewField>) =>
  client.contactFields.create({
    payload: {
      items: fields.map((field) => ({
        api_name: field.suggested_api_name,
        display_name: field.suggested_display_name,
        value_type: field.suggested_value_type,
      })),
    },
  })

/** The mappings with the columns of new fields mapped to them. */
const mappedToNew = (mappings: ReadonlyArray<ImportMapping>, fields: ReadonlyArray<NewField>) => {
  const byHeader = new Map(fields.map((field) => [field.header, field]))
  return mappings.map((mapping): ImportMapping => {
    const field = byHeader.get(mapping.header ?? "")
    if (field === undefined) return mapping
    const { currency_sign, date_format, decimal_separator, suggested_api_name, suggested_value_type } = field
    const reason = `New ${suggested_value_type} field`
    return {
      ...mapping,
      target_field: suggested_api_name,
      target_kind: "custom",
      reason,
      currency_sign,
      date_format,
      decimal_separator,
    }
  })
}

/** The proposals as they are, with what the flags add. */
const mappingsOf = (
  { available_fields: { custom, standard }, proposed_mappings }: ImportPreview,
  { dateFormat, decimalSeparator, set }: MappingFlags,
): ReadonlyArray<ImportMapping> => {
  const types = new Map([...standard, ...custom].map(({ api_name, value_type }) => [api_name, value_type]))
  const proposals = proposed_mappings.map((proposal): ImportMapping => {
    const { date_format, decimal_separator, target_field } = proposal
    if (target_field === null) return proposal
    if (Object.hasOwn(set, target_field))
      return { ...proposal, target_field: null, target_kind: null, reason: "--set replaces it" }
    const type = types.get(target_field)
    if (type === "date") return { ...proposal, date_format: date_format ?? Option.getOrNull(dateFormat) }
    return type === "number"
      ? { ...proposal, decimal_separator: decimal_separator ?? Option.getOrNull(decimalSeparator) }
      : proposal
  })
  return [...proposals, ...Object.entries(set).map(([target_field, value]) => ({ target_field, value }))]
}

const notationOf = ({
  currency_sign,
  date_format,
  decimal_separator,
}: Pick<ImportMapping, "currency_sign" | "date_format" | "decimal_separator">): string =>
  [date_format, decimal_separator ? `decimal ${decimal_separator}` : null, currency_sign].filter(Boolean).join(" ")

/** A line for each mapping: its field, how its values are written, an example, and why. */
const mappingTable = (mappings: ReadonlyArray<ImportMapping>, { sample_rows }: ImportPreview): string =>
  tableOf(
    mappings.map(({ header, reason, target_field, value, ...mapping }) => ({
      column: header ?? "(every row)",
      field: target_field ?? "(not imported)",
      example: value ?? sample_rows.map((row) => row[header ?? ""]).find((cell) => cell !== undefined && cell !== ""),
      written: notationOf(mapping),
      reason: reason ?? "--set",
    })),
  )

const isOver = ({ status }: ImportRun): boolean => status === "completed" || status === "failed"

export const countsOf = (run: ImportRun) => ({
  created: run.created_count,
  updated: run.updated_count,
  skipped: run.skipped_count,
  failed: run.error_count,
  warnings: run.warning_count === 0 ? null : run.warning_count,
  rows: run.total_rows ?? run.processed_rows,
})

const taken = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "EEXIST"

/** Writes the rows that were not imported as they are. Without a chosen name, an existing file is left alone and the next free name is used. */
const writeRejected = async (client: Client, run: ImportRun, file: string, chosen: string | null): Promise<string> => {
  const rows = new Response(await client.imports.exportKept({ params: { import_run_id: run.import_run_id } }))
  const bytes = new Uint8Array(await rows.arrayBuffer())
  if (chosen !== null) return writeFile(chosen, bytes).then(() => chosen)
  const { dir, name } = parse(file)
  for (let number = 1; ; number++) {
    const path = join(dir === "" ? dirname(file) : dir, `${name}-not-imported${number === 1 ? "" : `-${number}`}.csv`)
    try {
      await writeFile(path, bytes, { flag: "wx" })
      return path
    } catch (error) {
      if (!taken(error)) throw error
    }
  }
}

export const prepared = Effect.fnUntraced(function* (client: Client, file: string) {
  const session_id = yield* attempt(() => uploaded(client, file))
  const preview = yield* attempt(() => client.imports.preview({ params: { session_id } }))
  const [blocking] = preview.blocking_issues
  if (blocking !== undefined) return yield* new CallFailed({ reason: `${file} can't be imported: ${blocking.message}` })
  return { session_id, preview }
})

/** Executes the session, shows the progress and returns the run at its end. */
export const imported = Effect.fnUntraced(function* (client: Client, session_id: string, payload: ExecuteImport) {
  const { import_run_id } = yield* attempt(() => client.imports.execute({ params: { session_id }, payload }))
  return yield* follow(
    attempt(() => client.imports.find({ params: { import_run_id } })),
    {
      every: "300 millis",
      isFinal: isOver,
      progressOf: ({ processed_rows, total_rows }) => ({ doing: "Importing", done: processed_rows, total: total_rows }),
    },
  ).pipe(Effect.onInterrupt(() => Console.error(`The import ${import_run_id} continues in the service.`)))
})

/** The sentence about the file of rejected rows. */
const rejectedText = ({ error_count, skipped_count, warning_count }: ImportRun, path: string): string => {
  const rejected = error_count + skipped_count
  const parts = [
    ...(rejected > 0 || warning_count === 0 ? [`${countOf(rejected, "row")} not imported`] : []),
    ...(warning_count > 0 ? [`${countOf(warning_count, "row")} imported without an invalid cell`] : []),
  ]
  return `${parts.join(", ")}, with the reasons: ${path}. Correct the file and import it again.`
}

/** Writes the rejected rows to a file, prints the counts, and fails if the run failed. */
export const reported = Effect.fnUntraced(function* (
  client: Client,
  run: ImportRun,
  { file, json, rejected }: { readonly file: string; readonly json: boolean; readonly rejected: Option.Option<string> },
) {
  const path =
    run.error_count + run.skipped_count + run.warning_count === 0
      ? null
      : yield* attempt(() => writeRejected(client, run, file, Option.getOrNull(rejected)))
  yield* print(json, { document: { ...run, rejected_rows_file: path }, text: fieldsOf(countsOf(run)) })
  if (path !== null && !json) yield* Console.log(rejectedText(run, path))
  if (run.status === "failed")
    return yield* new CallFailed({ reason: `The import failed: ${run.error ?? "no reason"}` })
})

export const importContacts = Command.make("import", flags, ({ file, json, ...input }) =>
  Effect.gen(function* () {
    yield* askable(input)
    const client = yield* connected
    const list_ids = yield* attempt(() => listIds(client, input.lists))
    const { preview, session_id } = yield* prepared(client, file)
    const newFields = input.createFields ? newFieldsOf(preview) : []
    const mappings = mappedToNew(mappingsOf(preview, input), newFields)
    const table = `${mappingTable(mappings, preview)}\n`
    if (!json) yield* Console.log(table)
    else if (!input.yes) yield* Console.error(table)
    const into = input.lists.length === 0 ? "" : ` into ${input.lists.join(", ")}`
    if (!(yield* confirmed(`Import ${file}${into}?`, input))) return yield* Console.error("Nothing was imported.")
    if (newFields.length > 0) yield* attempt(() => createdFields(client, newFields))
    const run = yield* imported(client, session_id, {
      mappings,
      duplicate_strategy: input.duplicates,
      on_invalid_cell: input.invalidCell,
      list_ids,
    })
    yield* reported(client, run, { file, json, rejected: input.rejected })
  }),
).pipe(
  Command.withDescription("Imports contacts from a CSV file: shows the mapping, asks, and saves the rejected rows"),
)
