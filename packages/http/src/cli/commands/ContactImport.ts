// The command `tentpole contact import`: a CSV file, its mapping, the import and the rejected rows.
import type { Client, ImportPreview, ImportRun } from "@tentpole/client"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { openAsBlob } from "node:fs"
import { stat, writeFile } from "node:fs/promises"
import { basename, dirname, join, parse } from "node:path"
import { askable, confirmed, listOf, print, yesFlag } from "../Answers.ts"
import { countOf } from "../Figures.ts"
import { follow } from "../Progress.ts"
import { attempt, CallFailed, connected } from "../Remote.ts"
import { jsonFlag } from "../Run.ts"
import { fieldsOf, tableOf } from "../Table.ts"

const flags = {
  file: Argument.String("file").pipe(Argument.withDescription("CSV file with a header line")),
  lists: Flag.String("list").pipe(
    Flag.withDescription("Adds the contacts to this static list: name or id. May be repeated"),
    Flag.atLeast(0),
  ),
  duplicates: Flag.Literals("duplicates", ["update", "skip"]).pipe(
    Flag.withDescription("What happens to rows of contacts that exist: update or skip"),
    Flag.withDefault("update" as const),
  ),
  rejected: Flag.String("rejected").pipe(
    Flag.withDescription("File for the rejected rows. Default: <file>-not-imported.csv"),
    Flag.optional,
  ),
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

/** A line for each column: its field, an example, and why. */
const mappingTable = ({ proposed_mappings, sample_rows }: ImportPreview): string =>
  tableOf(
    proposed_mappings.map(({ header, reason, target_field }) => ({
      column: header,
      field: target_field ?? "(not imported)",
      example: sample_rows.map((row) => row[header]).find((cell) => cell !== undefined && cell !== "") ?? "",
      reason,
    })),
  )

const isOver = ({ status }: ImportRun): boolean => status === "completed" || status === "failed"

const countsOf = (run: ImportRun) => ({
  created: run.created_count,
  updated: run.updated_count,
  skipped: run.skipped_count,
  failed: run.error_count,
  rows: run.total_rows ?? run.processed_rows,
})

const taken = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "EEXIST"

/** Writes the rows that were not imported. Without a chosen name, an existing file is left alone and the next free name is used. */
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

const prepared = Effect.fnUntraced(function* (client: Client, file: string) {
  const session_id = yield* attempt(() => uploaded(client, file))
  const preview = yield* attempt(() => client.imports.preview({ params: { session_id } }))
  const [blocking] = preview.blocking_issues
  if (blocking !== undefined) return yield* new CallFailed({ reason: `${file} can't be imported: ${blocking.message}` })
  return { session_id, preview }
})

const imported = Effect.fnUntraced(function* (
  client: Client,
  { preview, session_id }: { readonly session_id: string; readonly preview: ImportPreview },
  options: { readonly duplicate_strategy: "update" | "skip"; readonly list_ids: ReadonlyArray<string> },
) {
  const mappings = preview.proposed_mappings.map(({ header, overwrite_behavior, target_field, target_kind }) => ({
    header,
    target_field,
    target_kind,
    overwrite_behavior,
  }))
  const { import_run_id } = yield* attempt(() =>
    client.imports.execute({ params: { session_id }, payload: { mappings, ...options } }),
  )
  return yield* follow(
    attempt(() => client.imports.find({ params: { import_run_id } })),
    {
      every: "300 millis",
      isFinal: isOver,
      progressOf: ({ processed_rows, total_rows }) => ({ doing: "Importing", done: processed_rows, total: total_rows }),
    },
  ).pipe(Effect.onInterrupt(() => Console.error(`The import ${import_run_id} continues in the service.`)))
})

export const importContacts = Command.make("import", flags, ({ file, json, ...input }) =>
  Effect.gen(function* () {
    yield* askable(input)
    const client = yield* connected
    const list_ids = yield* attempt(() => listIds(client, input.lists))
    const session = yield* prepared(client, file)
    const mapping = `${mappingTable(session.preview)}\n`
    if (!json) yield* Console.log(mapping)
    else if (!input.yes) yield* Console.error(mapping)
    const into = input.lists.length === 0 ? "" : ` into ${input.lists.join(", ")}`
    if (!(yield* confirmed(`Import ${file}${into}?`, input))) return yield* Console.error("Nothing was imported.")
    const run = yield* imported(client, session, { duplicate_strategy: input.duplicates, list_ids })
    const path =
      run.error_count + run.skipped_count === 0
        ? null
        : yield* attempt(() => writeRejected(client, run, file, Option.getOrNull(input.rejected)))
    yield* print(json, { document: { ...run, rejected_rows_file: path }, text: fieldsOf(countsOf(run)) })
    if (path !== null && !json) {
      const rows = countOf(run.error_count + run.skipped_count, "row")
      yield* Console.log(`${rows} not imported, with the reasons: ${path}. Correct the file and import it again.`)
    }
    if (run.status === "failed")
      return yield* new CallFailed({ reason: `The import failed: ${run.error ?? "no reason"}` })
  }),
).pipe(
  Command.withDescription("Imports contacts from a CSV file: shows the mapping, asks, and saves the rejected rows"),
)
