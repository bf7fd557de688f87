import * as DkimSigner from "@tentpole/adapters/crypto/DkimSigner"
import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

contract.messages("memory", Layer.merge(memory, DkimSigner.layer))
contract.messages("postgres", Layer.merge(postgresCounted, DkimSigner.layer))
contract.messageOperations("postgres", Layer.merge(postgresCounted, DkimSigner.layer))
