import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.transactor("memory", memory)
contract.transactor("postgres", postgres)
