import { contract } from "@tentpole/core/contract"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

contract.exports("memory", memory)
contract.exports("postgres", postgresCounted)
