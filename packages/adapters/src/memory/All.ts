// Every store in memory, over one database.
import { Layer } from "effect"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as Outbox from "./Outbox.ts"
import * as Transactor from "./Transactor.ts"
import * as WorkspaceStore from "./WorkspaceStore.ts"

/** The database that all of them share: provide it once. */
export const database = MemoryDatabase.layer

export const stores = Layer.mergeAll(Transactor.layer, Outbox.layer, WorkspaceStore.layer)
