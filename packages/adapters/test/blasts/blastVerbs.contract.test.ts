import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.blastAudiences("memory", memory)
contract.blastAudiences("postgres", postgres)
contract.blastCopies("memory", memory)
contract.blastCopies("postgres", postgres)
contract.blastRetries("memory", memory)
contract.blastRetries("postgres", postgres)
contract.blastDryRuns("memory", memory)
contract.blastDryRuns("postgres", postgres)
