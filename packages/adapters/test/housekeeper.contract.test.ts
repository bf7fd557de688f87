import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "./Stores.ts"

contract.housekeeper("memory", memory)
contract.housekeeper("postgres", postgres)
