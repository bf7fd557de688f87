import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { surroundings } from "../fixtures/FlowSurroundings.ts"
import { memoryTimes, postgresTimes } from "../fixtures/FlowTimesOf.ts"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

contract.flowSteps("memory", Layer.provideMerge(Layer.merge(memoryTimes, surroundings), memory))
contract.flowSteps("postgres", Layer.provideMerge(Layer.merge(postgresTimes, surroundings), postgresCounted))
