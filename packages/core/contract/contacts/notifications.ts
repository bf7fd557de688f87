// Events of the outbox. A reader stops before the oldest open transaction of the server. Therefore a test first writes a
// mark and reads once the mark is readable.
import { DateTime, Effect } from "effect"
import type { WorkspaceId } from "../../src/kernel/Ids.ts"
import { Outbox, type RecordedEvent } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { eventually } from "../kernel/eventually.ts"

const mark = "test_mark"
const events_max = 1000

/** Every event of the workspace, the oldest first. */
export const eventsOf = (
  workspace: WorkspaceId,
): Effect.Effect<ReadonlyArray<RecordedEvent>, never, Outbox | Transactor> =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    const { transact } = yield* Transactor
    const marks = (events: ReadonlyArray<RecordedEvent>) => events.filter((event) => event.type === mark).length
    const before = marks(yield* outbox.read(workspace, "test", events_max))
    yield* transact(outbox.append(workspace, [{ type: mark, contactId: null, at: DateTime.makeUnsafe(0), data: {} }]))
    const all = yield* eventually(outbox.read(workspace, "test", events_max), (events) => marks(events) > before)
    return all.filter((event) => event.type !== mark)
  })
