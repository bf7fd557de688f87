import { contract } from "@tentpole/core/contract"
import { postgres } from "../fixtures/Stores.ts"

contract.serviceOverview("postgres", postgres)
