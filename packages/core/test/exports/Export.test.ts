import { assert, describe, it } from "@effect/vitest"
import { isBlobKey } from "@tentpole/core/ports/BlobStore"
import { type Export, exportKey, isExpired, isOwnedBy } from "@tentpole/core/exports/Export"
import { ExportChange, transitions } from "@tentpole/core/exports/machine"
import { BlastId, ExportId, ListId, TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime } from "effect"

const workspace = WorkspaceId.make("00000000-0000-4000-8000-0000000000aa")
const id = ExportId.make("00000000-0000-4000-8000-0000000000ee")
const listId = ListId.make("00000000-0000-4000-8000-0000000000bb")
const subject = { kind: "list", listId, excludeUnsubscribed: true } as const
const blastId = BlastId.make("00000000-0000-4000-8000-0000000000cc")
const ofBlast = { kind: "blast", blastId, category: "clicked" } as const
const ofConsent = {
  kind: "consent",
  topicId: TopicId.make("00000000-0000-4000-8000-0000000000dd"),
  since: null,
  until: null,
} as const
const at = (ms: number) => DateTime.makeUnsafe(ms)
const noon = at(Date.UTC(2026, 4, 1, 12))
const day_ms = 24 * 60 * 60_000

const begin = () => ExportChange.begin({ id, subject }, noon)
const complete = (it: Export) => ExportChange.complete(it, { stem: "vip", rowCount: 7 }, noon)
const fail = (it: Export) => ExportChange.fail(it, "It can't be", noon)

const after = (change: ExportChange | null): Export => {
  if (change?.after == null) throw new Error("a change was expected")
  return change.after
}

describe("Export", () => {
  it("starts queued, with the job that writes it", () => {
    const { change, begun } = begin()
    assert.deepStrictEqual(begun, { id, subject, status: "queued", createdAt: noon })
    assert.strictEqual(change.after, begun)
    assert.deepStrictEqual(change.jobs, [{ job: { type: "list_export", exportId: id }, id: `list_export:${id}` }])
    for (const kind of ["list", "blast", "consent"] as const) assert.isTrue(isBlobKey(exportKey(workspace, kind, id)))
  })

  it("is in the audit log with its list", () => {
    const note = { action: "export.started", target: id, details: { list_id: subject.listId } } as const
    assert.deepStrictEqual(begin().change.audit, [note])
  })

  it("is started once; a second worker continues a started one", () => {
    const running = after(ExportChange.start(begin().begun))
    assert.strictEqual(running.status, "running")
    assert.isNull(ExportChange.start(running))
  })

  it("follows its table and can be deleted from every status", () => {
    const queued = begin().begun
    const running = after(ExportChange.start(queued))
    for (const from of [queued, running, after(complete(running)), after(fail(running))]) {
      const changes = {
        start: ExportChange.start(from),
        complete: complete(from),
        fail: fail(from),
        forget: ExportChange.forget(from),
      }
      const reached = Object.entries(changes).flatMap(([event, change]) =>
        change === null ? [] : [[event, change.after?.status ?? "deleted"]],
      )
      assert.deepStrictEqual(reached, Object.entries(transitions[from.status]))
    }
  })

  it("ends once, with its result and the job that deletes it a day later", () => {
    const running = after(ExportChange.start(begin().begun))
    for (const pending of [begin().begun, running]) {
      const completed = after(complete(pending))
      assert.deepStrictEqual(completed, {
        id,
        subject,
        createdAt: noon,
        status: "completed",
        fileName: "vip-2026-05-01.csv",
        rowCount: 7,
        completedAt: noon,
      })
      const failed = after(fail(pending))
      assert.deepInclude(failed, { status: "failed", error: "It can't be" })
      for (const ended of [completed, failed]) {
        assert.deepStrictEqual([complete(ended), fail(ended), ExportChange.start(ended)], [null, null, null])
      }
      for (const change of [complete(pending), fail(pending)]) {
        assert.deepStrictEqual(change?.jobs, [
          {
            job: { type: "list_export_expiry", exportId: id },
            id: `list_export_expiry:${id}`,
            delay: day_ms,
          },
        ])
      }
    }
  })

  it("is available until a day after its end", () => {
    const last = DateTime.add(noon, { milliseconds: day_ms - 1 })
    const over = DateTime.add(noon, { milliseconds: day_ms })
    for (const ended of [after(complete(begin().begun)), after(fail(begin().begun))]) {
      assert.deepStrictEqual([isExpired(ended, last), isExpired(ended, over)], [false, true])
    }
    assert.isFalse(isExpired(begin().begun, DateTime.add(over, { days: 300 })))
    assert.isNull(ExportChange.forget(begin().begun).after)
  })

  it("is written and deleted by jobs of its own kind", () => {
    const { begun, change } = ExportChange.begin({ id, subject: ofBlast }, noon)
    const ending = ExportChange.complete(begun, { stem: "spring-clicked", rowCount: 0 }, noon)
    const types = [change, ending].flatMap((each) => each?.jobs ?? []).map(({ job }) => job.type)
    assert.deepStrictEqual(types, ["blast_export", "blast_export_expiry"])
  })

  it("of consent records is in the audit log with its filter", () => {
    const { change } = ExportChange.begin({ id, subject: { ...ofConsent, until: noon } }, noon)
    assert.deepStrictEqual(change.audit, [
      {
        action: "export.started",
        target: id,
        details: { of: "consent_records", topic_id: ofConsent.topicId, until: "2026-05-01T12:00:00.000Z" },
      },
    ])
  })

  it("belongs to its list, its blast or the consent records, and to no other", () => {
    const { begun: ofList } = begin()
    const { begun: ofRecipients } = ExportChange.begin({ id, subject: ofBlast }, noon)
    const { begun: ofRecords } = ExportChange.begin({ id, subject: ofConsent }, noon)
    const otherList = { kind: "list", listId: ListId.make(blastId) } as const
    const otherBlast = { kind: "blast", blastId: BlastId.make(listId) } as const
    const owners = [subject, ofBlast, otherList, otherBlast, { kind: "consent" } as const]
    assert.deepStrictEqual(
      owners.map((owner) => isOwnedBy(ofList, owner)),
      [true, false, false, false, false],
    )
    assert.deepStrictEqual(
      owners.map((owner) => isOwnedBy(ofRecipients, owner)),
      [false, true, false, false, false],
    )
    assert.deepStrictEqual(
      owners.map((owner) => isOwnedBy(ofRecords, owner)),
      [false, false, false, false, true],
    )
  })
})
