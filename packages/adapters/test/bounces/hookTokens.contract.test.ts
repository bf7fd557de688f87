import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.hookTokens("memory", memory)
contract.hookTokens("postgres", postgres)
