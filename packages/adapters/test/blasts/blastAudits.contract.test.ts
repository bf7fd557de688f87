import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.blastAudits("memory", memory)
contract.blastAudits("postgres", postgres)
