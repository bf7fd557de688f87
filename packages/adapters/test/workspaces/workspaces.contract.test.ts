// @module-tag attack/dead-key
import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.workspaces("memory", memory)
contract.workspaces("postgres", postgres)
