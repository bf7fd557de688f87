import { contract } from "@tentpole/core/contract"
import { postgres } from "../fixtures/Stores.ts"

contract.administration("postgres", postgres)
contract.auditLog("postgres", postgres)
