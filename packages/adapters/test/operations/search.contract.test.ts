import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.search("memory", memory)
contract.search("postgres", postgres)
