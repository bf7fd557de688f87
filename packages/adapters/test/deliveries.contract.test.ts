import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memoryScenario, postgresScenario } from "./DeliveryScenarios.ts"
import { memory, postgres } from "./Stores.ts"

contract.deliveries("memory", Layer.provideMerge(memoryScenario, memory))
contract.deliveries("postgres", Layer.provideMerge(postgresScenario, postgres))
