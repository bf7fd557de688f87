import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.exports("memory", memory)
contract.exports("postgres", postgres)
