import * as FakeAi from "@tentpole/adapters/ai/fake/FakeAi"
import * as DkimSigner from "@tentpole/adapters/crypto/DkimSigner"
import * as Csv from "@tentpole/adapters/csv/CsvReader"
import { contract } from "@tentpole/core/contract"
import { Layer } from "effect"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

const around = Layer.mergeAll(Csv.layer, DkimSigner.layer, FakeAi.layer)

contract.importConfirmations("memory", Layer.merge(memory, around))
contract.importConfirmations("postgres", Layer.merge(postgresCounted, around))
