import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "./Stores.ts"

contract.hookTokens("memory", memory)
contract.hookTokens("postgres", postgres)
