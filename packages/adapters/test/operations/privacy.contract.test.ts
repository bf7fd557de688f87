import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memoryScenario, postgresScenario } from "../fixtures/DeliveryScenarios.ts"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.privacy("memory", memoryScenario.pipe(Layer.provideMerge(memory)))
contract.privacy("postgres", postgresScenario.pipe(Layer.provideMerge(postgres)))
