// @module-tag attack/race
import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.topics("memory", memory)
contract.topics("postgres", postgres)
