import * as MemoryOutbox from "@tentpole/adapters/memory/Outbox"
import * as MemoryTransactor from "@tentpole/adapters/memory/Transactor"
import { MemoryDatabase } from "@tentpole/adapters/memory/MemoryDatabase"
import * as PostgresOutbox from "@tentpole/adapters/postgres/Outbox"
import * as PostgresTransactor from "@tentpole/adapters/postgres/Transactor"
import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { clients, freshMemory, freshPostgres } from "./PostgresTest.ts"

contract.outbox(
  "memory",
  Layer.merge(MemoryOutbox.layer, MemoryTransactor.layer).pipe(Layer.provide(MemoryDatabase.layer)),
  freshMemory,
)
contract.outbox(
  "postgres",
  Layer.merge(PostgresOutbox.layer, PostgresTransactor.layer).pipe(Layer.provide(clients)),
  freshPostgres,
)
