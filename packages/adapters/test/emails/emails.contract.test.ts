// @module-tag attack/race
import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.emails("memory", memory)
contract.emails("postgres", postgres)

contract.testMails("memory", memory)
contract.testMails("postgres", postgres)
