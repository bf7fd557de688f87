import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.traffic("memory", memory)
contract.traffic("postgres", postgres)
