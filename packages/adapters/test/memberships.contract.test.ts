import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memoryTimes, postgresTimes } from "./FlowTimesOf.ts"
import { memory, postgres } from "./Stores.ts"

contract.memberships("memory", Layer.provideMerge(memoryTimes, memory))
contract.memberships("postgres", Layer.provideMerge(postgresTimes, postgres))
