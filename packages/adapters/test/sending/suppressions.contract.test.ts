import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.suppressions("memory", memory)
contract.suppressions("postgres", postgres)
