import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.maintenance("memory", memory)
contract.maintenance("postgres", postgres)
