// The epoch: a counter in the database, and its copy in the blob store. A database that was restored from a backup has a
// smaller counter than the copy.
import { Schema } from "effect"

/** The key of the copy. It must not be restored with the database: the comparison would find nothing. */
export const epoch_key = "service/epoch.json"
export const epoch_bytes_max = 200

export const EpochCopy = Schema.fromJsonString(Schema.Struct({ counter: Schema.Int }))

/**
 * `current`: the database is as new as the copy. `new`: no worker has ever run on the database, so that there is nothing it
 * could send again. `restored`: workers have run on it since, and the database does not contain what they did.
 */
export type EpochVerdict = "current" | "new" | "restored"

/**
 * Compares the counter of the database with the largest one that is known otherwise: that of the copy, or of this process. A
 * worker increments the database first and writes the copy then, so that a crash or an outage leaves the copy behind, never
 * ahead. The copy must be read before the database: another worker may write both in between.
 */
export const compareEpochs = (database: number, known: number): EpochVerdict => {
  if (known <= database) return "current"
  return database === 0 ? "new" : "restored"
}
