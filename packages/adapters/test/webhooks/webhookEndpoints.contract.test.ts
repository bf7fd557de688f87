import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.webhookEndpoints("memory", memory)
contract.webhookEndpoints("postgres", postgres)
