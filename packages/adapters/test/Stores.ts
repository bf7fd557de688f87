// The two worlds that laws are held in: every store in memory, and every store on a PostgreSQL of this run.
import { Fresh, settingsLayer, withFewKeyPairs } from "@tentpole/core/contract"
import * as Cleaner from "@tentpole/adapters/ai/SanitizeHtml"
import * as Ids from "@tentpole/adapters/crypto/Ids"
import * as Blobs from "@tentpole/adapters/memory/BlobStore"
import * as Secrets from "@tentpole/adapters/crypto/Secrets"
import * as PersistedJobs from "@tentpole/adapters/jobs/PersistedJobs"
import * as Memory from "@tentpole/adapters/memory/All"
import * as MemoryJobs from "@tentpole/adapters/memory/Jobs"
import * as Postgres from "@tentpole/adapters/postgres/All"
import { Layer, Redacted } from "effect"
import { clients } from "./PostgresTest.ts"

export const ids = Ids.layer
export const secrets = withFewKeyPairs(
  Secrets.layer({ secret: Redacted.make("a secret for tests, long enough"), previous: null }),
)

/** Jobs that are seen at once and tried again soon; three attempts, as the laws expect. */
const quick: PersistedJobs.JobsOptions = {
  lease: "60 seconds",
  poll: "50 millis",
  retryFrom: "100 millis",
  attempts_max: 3,
}

export const memory = Layer.merge(Fresh.layer, MemoryJobs.layer(quick)).pipe(
  Layer.provideMerge(Memory.stores),
  Layer.provideMerge(Layer.mergeAll(Memory.database, ids, secrets, Cleaner.layer, Blobs.layer, settingsLayer())),
)

/** On a database of one's choice. */
export const postgresOver = <E>(connections: Layer.Layer<Layer.Success<typeof clients>, E>) =>
  Layer.merge(Fresh.layer, PersistedJobs.layer(quick)).pipe(
    Layer.provideMerge(Postgres.stores),
    Layer.provideMerge(connections),
    Layer.provideMerge(Layer.mergeAll(ids, secrets, Cleaner.layer, Blobs.layer, settingsLayer())),
  )

export const postgres = postgresOver(clients)
