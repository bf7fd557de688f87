import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.administration("memory", memory)
contract.administration("postgres", postgres)
contract.auditLog("memory", memory)
contract.auditLog("postgres", postgres)
