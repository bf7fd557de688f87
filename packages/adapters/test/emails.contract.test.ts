import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "./Stores.ts"

contract.emails("memory", memory)
contract.emails("postgres", postgres)
