import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memoryTimes, postgresTimes } from "../fixtures/FlowTimesOf.ts"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

contract.flowTurns("memory", Layer.provideMerge(memoryTimes, memory))
contract.flowTurns("postgres", Layer.provideMerge(postgresTimes, postgresCounted))
