import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.segments("memory", memory)
contract.segments("postgres", postgres)
