import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.documents("memory", memory)
contract.documents("postgres", postgres)
