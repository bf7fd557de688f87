import { contract } from "@tentpole/core/contract"
import { postgres } from "../fixtures/Stores.ts"

contract.passkeys("postgres", postgres)
