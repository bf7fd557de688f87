import * as Ids from "@tentpole/adapters/crypto/Ids"
import * as Filesystem from "@tentpole/adapters/filesystem/BlobStore"
import * as SendJournal from "@tentpole/adapters/journal/SendJournal"
import * as Memory from "@tentpole/adapters/memory/ports/BlobStore"
import { contract } from "@tentpole/core/contract"
import { Effect, Layer } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const filesystem = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "tentpole-journal-"))),
      (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true })),
    ),
    (folder) => Layer.orDie(Filesystem.layer({ folder })),
  ),
)

const layer = (on: boolean) => SendJournal.layer({ on })

contract.sendJournal("blobs in memory", { layer, stores: Layer.merge(Memory.layer, Ids.layer) })
contract.sendJournal("files", { layer, stores: Layer.merge(filesystem, Ids.layer) })
