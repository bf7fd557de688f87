import * as DkimSigner from "@tentpole/adapters/crypto/DkimSigner"
import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

contract.subscriptions("memory", Layer.merge(memory, DkimSigner.layer))
contract.subscriptions("postgres", Layer.merge(postgresCounted, DkimSigner.layer))
