import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.idempotencyKeys("memory", memory)
contract.idempotencyKeys("postgres", postgres)
