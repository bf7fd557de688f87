import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.imports("memory", memory)
contract.imports("postgres", postgres)
