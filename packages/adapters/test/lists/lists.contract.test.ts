// @module-tag attack/race
import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.lists("memory", memory)
contract.lists("postgres", postgres)
contract.listVerbs("memory", memory)
contract.listVerbs("postgres", postgres)
