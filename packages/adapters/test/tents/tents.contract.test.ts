// @module-tag attack/race
import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.tents("memory", memory)
contract.tents("postgres", postgres)
contract.tentVersions("memory", memory)
contract.tentVersions("postgres", postgres)
contract.pages("memory", memory)
contract.pages("postgres", postgres)
contract.assets("memory", memory)
contract.assets("postgres", postgres)
contract.bulkTents("memory", memory)
contract.bulkTents("postgres", postgres)
