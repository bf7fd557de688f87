import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.jobs("memory", memory)
contract.jobs("postgres", postgres)
contract.jobTurns("memory", memory)
contract.jobTurns("postgres", postgres)
