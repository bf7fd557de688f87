import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { postgresScenario } from "../fixtures/DeliveryScenarios.ts"
import { postgresCounted } from "../fixtures/Stores.ts"

contract.restores("postgres", postgresScenario.pipe(Layer.provideMerge(postgresCounted)))
