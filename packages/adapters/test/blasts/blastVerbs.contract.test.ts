import { contract } from "@tentpole/core/contract"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

contract.blastAudiences("memory", memory)
contract.blastAudiences("postgres", postgresCounted)
contract.blastCopies("memory", memory)
contract.blastCopies("postgres", postgresCounted)
contract.blastRetries("memory", memory)
contract.blastRetries("postgres", postgresCounted)
contract.blastDryRuns("memory", memory)
contract.blastDryRuns("postgres", postgresCounted)
