import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "./Stores.ts"

contract.listExports("memory", memory)
contract.listExports("postgres", postgres)
