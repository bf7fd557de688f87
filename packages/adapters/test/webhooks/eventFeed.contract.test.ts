import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "../fixtures/Stores.ts"

contract.eventFeed("memory", memory)
contract.eventFeed("postgres", postgres)
