// @module-tag attack/race
import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.blasts("memory", memory)
contract.blasts("postgres", postgres)
contract.blastVerbs("memory", memory)
contract.blastVerbs("postgres", postgres)
