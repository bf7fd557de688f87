// Contract tests of the ports of contacts and custom fields.
import type { Layer } from "effect"
import type { Ports } from "./contactWorld.ts"
import { counts } from "./contactCounts.ts"
import { deletion } from "./contactDeletion.ts"
import { fields } from "./contactFields.ts"
import { listing } from "./contactListing.ts"
import { together } from "./contactBatches.ts"
import { departures } from "./contactDepartures.ts"
import { writing } from "./contactWriting.ts"

export const contacts = <E>(name: string, live: Layer.Layer<Ports, E>) => {
  writing(name, live)
  listing(name, live)
  together(name, live)
  deletion(name, live)
  departures(name, live)
  fields(name, live)
  counts(name, live)
}
