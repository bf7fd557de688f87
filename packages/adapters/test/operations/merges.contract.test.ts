// @module-tag attack/race
import * as CsvReader from "@tentpole/adapters/csv/CsvReader"
import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { postgresScenario } from "../fixtures/DeliveryScenarios.ts"
import { memoryScenario } from "../fixtures/MemoryDeliveryScenario.ts"
import { memoryTimes, postgresTimes } from "../fixtures/FlowTimesOf.ts"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

const more = <Ports, E>(stores: Layer.Layer<Ports, E>) => Layer.merge(stores, CsvReader.layer)

contract.merges("memory", Layer.mergeAll(memoryTimes, memoryScenario).pipe(Layer.provideMerge(more(memory))))
contract.merges(
  "postgres",
  Layer.mergeAll(postgresTimes, postgresScenario).pipe(Layer.provideMerge(more(postgresCounted))),
)
