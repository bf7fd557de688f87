import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.forms("memory", memory)
contract.forms("postgres", postgres)
