import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "./Stores.ts"

contract.segments("memory", memory)
contract.segments("postgres", postgres)
