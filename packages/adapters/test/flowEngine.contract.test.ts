import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memoryTimes, postgresTimes } from "./FlowTimesOf.ts"
import { memory, postgres } from "./Stores.ts"

contract.flowEngine("memory", Layer.provideMerge(memoryTimes, memory))
contract.flowEngine("postgres", Layer.provideMerge(postgresTimes, postgres))
