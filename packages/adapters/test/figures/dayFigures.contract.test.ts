import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { postgresScenario } from "../fixtures/DeliveryScenarios.ts"
import { memoryScenario } from "../fixtures/MemoryDeliveryScenario.ts"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.dayFigures("memory", Layer.provideMerge(memoryScenario, memory))
contract.dayFigures("postgres", Layer.provideMerge(postgresScenario, postgres))
