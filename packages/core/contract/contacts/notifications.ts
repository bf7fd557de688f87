// What the outbox has been told. A reader stops before the oldest transaction that is still open on the server, whoever's
// it is: so a law first writes a mark of its own, and reads once the mark can be read.
import { DateTime, Effect } from "effect"
import type { WorkspaceId } from "../../src/kernel/Ids.ts"
import { Outbox, type RecordedEvent } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { eventually } from "../kernel/eventually.ts"

const mark = "law_mark"
const events_max = 1000

/** Every event of the workspace so far, the oldest first. */
export const toldTo = (
  workspace: WorkspaceId,
): Effect.Effect<ReadonlyArray<RecordedEvent>, never, Outbox | Transactor> =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    const { transact } = yield* Transactor
    const marks = (events: ReadonlyArray<RecordedEvent>) => events.filter((event) => event.type === mark).length
    const before = marks(yield* outbox.read(workspace, "law", events_max))
    yield* transact(outbox.append(workspace, [{ type: mark, contactId: null, at: DateTime.makeUnsafe(0), data: {} }]))
    const all = yield* eventually(outbox.read(workspace, "law", events_max), (events) => marks(events) > before)
    return all.filter((event) => event.type !== mark)
  })
