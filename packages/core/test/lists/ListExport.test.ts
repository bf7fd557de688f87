import { assert, describe, it } from "@effect/vitest"
import { isBlobKey } from "@tentpole/core/blobs/BlobStore"
import { ListExportId, ListId, WorkspaceId } from "@tentpole/core/Ids"
import { exportKey, isExpired, type ListExport, ListExportChange } from "@tentpole/core/lists/ListExport"
import { DateTime } from "effect"

const workspace = WorkspaceId.make("00000000-0000-4000-8000-0000000000aa")
const id = ListExportId.make("00000000-0000-4000-8000-0000000000ee")
const listId = ListId.make("00000000-0000-4000-8000-0000000000bb")
const at = (ms: number) => DateTime.makeUnsafe(ms)
const noon = at(Date.UTC(2026, 4, 1, 12))
const day_ms = 24 * 60 * 60_000

const begin = () => ListExportChange.begin(workspace, { id, listId, excludeUnsubscribed: true }, noon)
const complete = (it: ListExport) => ListExportChange.complete(workspace, it, { slug: "vip", rowCount: 7 }, noon)
const fail = (it: ListExport) => ListExportChange.fail(workspace, it, "It can't be", noon)

const after = (change: ListExportChange | null): ListExport => {
  if (change?.after == null) throw new Error("a change was expected")
  return change.after
}

describe("an export of a list", () => {
  it("begins queued, with the job that writes it", () => {
    const { change, begun } = begin()
    assert.deepStrictEqual(begun, { id, listId, excludeUnsubscribed: true, status: "queued", createdAt: noon })
    assert.strictEqual(change.after, begun)
    assert.deepStrictEqual(change.jobs, [
      { job: { type: "list_export", workspaceId: workspace, exportId: id }, id: `list_export:${id}` },
    ])
    assert.isTrue(isBlobKey(exportKey(workspace, id)))
  })

  it("is started once, and whoever takes a started one goes on", () => {
    const running = after(ListExportChange.start(begin().begun))
    assert.strictEqual(running.status, "running")
    assert.isNull(ListExportChange.start(running))
  })

  it("ends once, with what belongs to its end and the job that removes it a day later", () => {
    const running = after(ListExportChange.start(begin().begun))
    for (const pending of [begin().begun, running]) {
      const completed = after(complete(pending))
      assert.deepStrictEqual(completed, {
        id,
        listId,
        excludeUnsubscribed: true,
        createdAt: noon,
        status: "completed",
        fileName: "vip-2026-05-01.csv",
        rowCount: 7,
        completedAt: noon,
      })
      const failed = after(fail(pending))
      assert.deepInclude(failed, { status: "failed", error: "It can't be" })
      for (const ended of [completed, failed]) {
        assert.deepStrictEqual([complete(ended), fail(ended), ListExportChange.start(ended)], [null, null, null])
      }
      for (const change of [complete(pending), fail(pending)]) {
        assert.deepStrictEqual(change?.jobs, [
          {
            job: { type: "list_export_expiry", workspaceId: workspace, exportId: id },
            id: `list_export_expiry:${id}`,
            delay: day_ms,
          },
        ])
      }
    }
  })

  it("is there for a day after its end, and as long as it takes to get there", () => {
    const last = DateTime.add(noon, { milliseconds: day_ms - 1 })
    const over = DateTime.add(noon, { milliseconds: day_ms })
    for (const ended of [after(complete(begin().begun)), after(fail(begin().begun))]) {
      assert.deepStrictEqual([isExpired(ended, last), isExpired(ended, over)], [false, true])
    }
    assert.isFalse(isExpired(begin().begun, DateTime.add(over, { days: 300 })))
    assert.isNull(ListExportChange.forget(begin().begun).after)
  })
})
