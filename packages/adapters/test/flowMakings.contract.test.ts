import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { surroundings } from "./FlowSurroundings.ts"
import { memoryTimes, postgresTimes } from "./FlowTimesOf.ts"
import { memory, postgres } from "./Stores.ts"

contract.flowMakings("memory", Layer.provideMerge(Layer.merge(memoryTimes, surroundings), memory))
contract.flowMakings("postgres", Layer.provideMerge(Layer.merge(postgresTimes, surroundings), postgres))
