import { contract } from "@tentpole/core/contract"
import { postgresCounted } from "../fixtures/Stores.ts"

contract.blastAudits("postgres", postgresCounted)
