// Every store on PostgreSQL, over the two clients.
import { Layer } from "effect"
import * as Outbox from "./Outbox.ts"
import * as Transactor from "./Transactor.ts"
import * as WorkspaceStore from "./WorkspaceStore.ts"

export const stores = Layer.mergeAll(Transactor.layer, Outbox.layer, WorkspaceStore.layer)
