import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.webhookDeliveries("memory", memory)
contract.webhookDeliveries("postgres", postgres)
