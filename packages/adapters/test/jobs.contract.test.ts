import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "./Stores.ts"

contract.jobs("memory", memory)
contract.jobs("postgres", postgres)
