import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.webhookQueue("memory", memory)
contract.webhookQueue("postgres", postgres)
