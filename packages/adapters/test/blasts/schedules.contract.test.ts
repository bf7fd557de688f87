import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.schedules("memory", memory)
contract.schedules("postgres", postgres)
