import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.outbox("memory", memory)
contract.outbox("postgres", postgres)
