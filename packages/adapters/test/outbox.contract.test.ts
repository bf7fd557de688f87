import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "./Stores.ts"

contract.outbox("memory", memory)
contract.outbox("postgres", postgres)
