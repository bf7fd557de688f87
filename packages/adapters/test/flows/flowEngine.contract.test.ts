import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memoryTimes, postgresTimes } from "../fixtures/FlowTimesOf.ts"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

contract.flowEngine("memory", Layer.provideMerge(memoryTimes, memory))
contract.flowEngine("postgres", Layer.provideMerge(postgresTimes, postgresCounted))
