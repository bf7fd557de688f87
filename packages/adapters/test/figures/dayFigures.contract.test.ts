import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memoryScenario, postgresScenario } from "../fixtures/DeliveryScenarios.ts"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.dayFigures("memory", Layer.provideMerge(memoryScenario, memory))
contract.dayFigures("postgres", Layer.provideMerge(postgresScenario, postgres))
