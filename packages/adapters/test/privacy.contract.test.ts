import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memoryScenario, postgresScenario } from "./DeliveryScenarios.ts"
import { memory, postgres } from "./Stores.ts"

contract.privacy("memory", memoryScenario.pipe(Layer.provideMerge(memory)))
contract.privacy("postgres", postgresScenario.pipe(Layer.provideMerge(postgres)))
