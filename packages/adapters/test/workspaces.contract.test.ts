import { contract } from "@tentpole/core/contract"
import { memory, postgres } from "./Stores.ts"

contract.workspaces("memory", memory)
contract.workspaces("postgres", postgres)
