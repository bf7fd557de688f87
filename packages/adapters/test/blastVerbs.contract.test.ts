import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "./Stores.ts"

contract.blastAudiences("memory", memory)
contract.blastAudiences("postgres", postgres)
contract.blastCopies("memory", memory)
contract.blastCopies("postgres", postgres)
contract.blastRetries("memory", memory)
contract.blastRetries("postgres", postgres)
contract.blastSurveys("memory", memory)
contract.blastSurveys("postgres", postgres)
