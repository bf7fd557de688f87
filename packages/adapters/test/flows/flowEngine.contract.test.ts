import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memoryTimes, postgresTimes } from "../fixtures/FlowTimesOf.ts"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.flowEngine("memory", Layer.provideMerge(memoryTimes, memory))
contract.flowEngine("postgres", Layer.provideMerge(postgresTimes, postgres))
