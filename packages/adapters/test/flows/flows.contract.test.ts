// @module-tag attack/foreign-nested-id
import { contract } from "@tentpole/core/contract"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

contract.flows("memory", memory)
contract.flows("postgres", postgresCounted)
