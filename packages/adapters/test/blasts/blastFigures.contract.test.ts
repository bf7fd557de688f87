import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { postgresScenario } from "../fixtures/DeliveryScenarios.ts"
import { memoryScenario } from "../fixtures/MemoryDeliveryScenario.ts"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

contract.blastFigures("memory", Layer.provideMerge(memoryScenario, memory))
contract.blastFigures("postgres", Layer.provideMerge(postgresScenario, postgresCounted))
