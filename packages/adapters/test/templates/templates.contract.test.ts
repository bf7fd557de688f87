import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.templates("memory", memory)
contract.templates("postgres", postgres)
