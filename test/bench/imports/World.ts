// The world that imports are measured in: the service as a user starts it, and two editions of a file of people.
import { runningUrl } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { join } from "node:path"
import { Inside } from "../../support/Inside.ts"
import { type PeopleFile, writePeople } from "../../support/PeopleFile.ts"
import { Service } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"

export interface World {
  readonly service: Service
  readonly inside: Inside
  readonly databaseUrl: string
  readonly rows_count: number
  /** All new, and the same people once more with other companies. */
  readonly files: { readonly first: string; readonly second: string }
}

type Size = Omit<PeopleFile, "edition">

/** The full size is a million rows of 300 MB. */
const sizeOf = ({ full, quick }: Bench): Size =>
  full
    ? { rows_count: 1_000_000, note_chars: 215 }
    : quick
      ? { rows_count: 20_000, note_chars: 0 }
      : { rows_count: 200_000, note_chars: 0 }

export const makeWorld = async (bench: Bench): Promise<World> => {
  const { ending, report } = bench
  const service = await Service.prepare()
  await ending.with(() => service.remove())
  const size = sizeOf(bench)
  const files = { first: join(service.folder, "first.csv"), second: join(service.folder, "second.csv") }
  report.say("writing the files …")
  const { size_bytes } = await writePeople(files.first, { ...size, edition: 1 })
  await writePeople(files.second, { ...size, edition: 2 })
  report.fact("file", `${size.rows_count.toLocaleString("en-US")} rows, ${(size_bytes / 1e6).toFixed(1)} MB`)
  report.say("starting the service …")
  await service.start()
  const url = await Effect.runPromise(runningUrl(join(service.folder, "data/database")))
  if (url === null) throw new Error("the service runs without its embedded PostgreSQL")
  const inside = new Inside(service.environment, url)
  await ending.with(() => inside.close())
  const [row] = await inside.asOwner<{ version: string }>("select current_setting('server_version') as version")
  report.fact("database", `PostgreSQL ${row?.version}, embedded`)
  return { service, inside, databaseUrl: Redacted.value(url), rows_count: size.rows_count, files }
}
