// The command `tentpole workspace export`: all data of a workspace, one file of JSON lines per table.
import { BadConfiguration } from "@tentpole/adapters/Configuration"
import { Privacy } from "@tentpole/core/operations/privacy/Privacy"
import type { StoredRow } from "@tentpole/core/operations/privacy/PrivacyStore"
import { Effect, Stream } from "effect"
import { Argument, Flag } from "effect/cli"
import { appendFile, mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { command, workspaceOf } from "../Run.ts"

const because = (folder: string) => (cause: unknown) =>
  new BadConfiguration({
    reason: `${folder} can't be written (${cause instanceof Error ? cause.message : String(cause)}): use an empty folder or a new one.`,
  })

/** Writes the rows to the files of their tables and returns the number of rows of each. Existing files are not overwritten. */
const written = Effect.fnUntraced(function* (folder: string, rows: Stream.Stream<ReadonlyArray<StoredRow>>) {
  const orRefused = (act: () => Promise<unknown>) => Effect.tryPromise({ try: act, catch: because(folder) })
  const counts: Record<string, number> = {}
  yield* orRefused(() => mkdir(folder, { recursive: true }))
  yield* Stream.runForEach(rows, (some) =>
    Effect.forEach(
      Object.entries(Object.groupBy(some, ({ table }) => table)),
      ([table, found = []]) => {
        const known = counts[table]
        counts[table] = (known ?? 0) + found.length
        const lines = found.map(({ row }) => `${JSON.stringify(row)}\n`).join("")
        const options = { flag: known === undefined ? "wx" : "a", mode: 0o600 }
        return orRefused(() => appendFile(join(folder, `${table}.ndjson`), lines, options))
      },
      { discard: true },
    ),
  )
  return counts
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
