// The command `tentpole workspace export`: all data of a workspace, one file of JSON lines per table.
import { BadConfiguration } from "@tentpole/adapters/Configuration"
import { Privacy } from "@tentpole/core/operations/privacy/Privacy"
import type { StoredRow } from "@tentpole/core/operations/privacy/PrivacyStore"
import { Effect, Stream } from "effect"
import { Argument, Flag } from "effect/cli"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { join, resolve } from "node:path"
import { command, workspaceOf } from "../Run.ts"

/** The files of an export. Tables come one after the other, so one file is open at a time. Existing files are not overwritten. */
class TableFiles {
  readonly rows: Record<string, number> = {}
  readonly #folder: string
  #open: { readonly table: string; readonly file: FileHandle } | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  async write(rows: ReadonlyArray<StoredRow>): Promise<void> {
    const [first] = rows
    if (first === undefined) return
    if (this.#open?.table !== first.table) {
      await this.close()
      const file = await open(join(this.#folder, `${first.table}.ndjson`), "wx", 0o600)
      this.#open = { table: first.table, file }
    }
    await this.#open.file.appendFile(rows.map(({ row }) => `${JSON.stringify(row)}\n`).join(""))
    this.rows[first.table] = (this.rows[first.table] ?? 0) + rows.length
  }

  async close(): Promise<void> {
    await this.#open?.file.close()
    this.#open = undefined
  }
}

const because = (folder: string) => (cause: unknown) =>
  new BadConfiguration({
    reason: `${folder} can't be written (${cause instanceof Error ? cause.message : String(cause)}): use an empty folder or a new one.`,
  })

const written = Effect.fnUntraced(function* (folder: string, rows: Stream.Stream<ReadonlyArray<StoredRow>>) {
  const orRefused = (act: () => Promise<unknown>) => Effect.tryPromise({ try: act, catch: because(folder) })
  yield* orRefused(() => mkdir(folder, { recursive: true }))
  const files = new TableFiles(folder)
  yield* Stream.runForEach(rows, (some) => orRefused(() => files.write(some))).pipe(
    Effect.ensuring(Effect.promise(() => files.close())),
  )
  return files.rows
})

export const workspaceExport = command(
  "export",
  "Writes all data of a workspace to a folder, one file of JSON lines per table",
  {
    slug: Argument.String("slug"),
    to: Flag.String("to").pipe(Flag.withDescription("Folder for the files")),
  },
  Effect.fnUntraced(function* (input) {
    const { rows } = yield* Privacy
    const { id } = yield* workspaceOf(input.slug)
    const folder = resolve(input.to)
    return { workspace_id: id, folder, rows: yield* written(folder, rows(id)) }
  }),
)
