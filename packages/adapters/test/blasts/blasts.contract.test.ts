// @module-tag attack/race
import { contract } from "@tentpole/core/contract"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

contract.blasts("memory", memory)
contract.blasts("postgres", postgresCounted)
contract.blastVerbs("memory", memory)
contract.blastVerbs("postgres", postgresCounted)
