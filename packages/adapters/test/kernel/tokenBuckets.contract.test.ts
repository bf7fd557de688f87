import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.tokenBuckets("memory", memory)
contract.tokenBuckets("postgres", postgres)
