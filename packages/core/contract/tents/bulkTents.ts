// Contract tests of bulk jobs.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer, Result } from "effect"
import { ApprovalId, BulkJobId, TentId, TentTemplateId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { BulkChange, type BulkRequest, progressOf } from "../../src/tents/bulk/Bulk.ts"
import { readBulkItem } from "../../src/tents/bulk/BulkItem.ts"
import { BulkStore } from "../../src/tents/bulk/BulkStore.ts"
import type { Tent } from "../../src/tents/Tent.ts"
import { TentChange } from "../../src/tents/machine.ts"
import { TentStore } from "../../src/tents/TentStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { Fresh } from "../kernel/fresh.ts"

const at = (ms: number) => DateTime.makeUnsafe(ms)

type Wanted = Omit<Partial<BulkRequest>, "items"> & { readonly items: ReadonlyArray<unknown> }

export const bulkTents = <E>(
  name: string,
  live: Layer.Layer<BulkStore | TentStore | WorkspaceStore | Transactor | Fresh, E>,
) =>
  layer(live, { excludeTestServices: true })(`Bulk jobs (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const store = yield* BulkStore
      const tents = yield* TentStore
      const workspaces = yield* WorkspaceStore
      const { transact } = yield* Transactor
      const fresh = yield* Fresh
      const workspace = yield* fresh.workspace()
      const templateId = TentTemplateId.make(yield* fresh.id)
      const approvalId = ApprovalId.make(yield* fresh.id)

      const requested = ({ items, ...over }: Wanted): BulkRequest => ({
        template: { id: templateId, approvalId },
        clientJobDescriptor: null,
        defaultTentNamePrefix: null,
        startIndex: 1,
        autoPublish: false,
        reasoning: null,
        metadata: null,
        createdByName: "a key",
        ...over,
        items: items.map((item) => readBulkItem(item, { autoPublish: over.autoPublish ?? false })),
      })
      /** Decides under the lock of the credits. */
      const admitted = Effect.fnUntraced(function* (wanted: Wanted, of: WorkspaceId = workspace) {
        const request = requested(wanted)
        const id = BulkJobId.make(yield* fresh.id)
        const tentIds = yield* Effect.forEach(request.items, () => Effect.map(fresh.id, (text) => TentId.make(text)))
        return yield* transact(
          Effect.gen(function* () {
            const credits = yield* store.lockCredits(of)
            const change = BulkChange.admit({ id, request, html: "<p>x</p>", credits, tentIds, now: at(9) })
            yield* store.apply(of, change)
            return change
          }),
        )
      })
      const credits = (of = workspace) => Effect.map(workspaces.get(of), (found) => found.credits)
      const change = (id: TentId, decide: (tent: Tent) => TentChange | null) =>
        transact(
          Effect.gen(function* () {
            const decided = decide(yield* tents.lock(workspace, id))
            if (decided !== null) yield* tents.apply(workspace, decided)
          }),
        )
      return { store, tents, transact, fresh, workspace, admitted, credits, change }
    })
    const item = (over = {}) => ({ instructions: "Grüße 🦊", ...over })

    it.effect("reads a job as it was admitted, with its tents, and takes their credits", () =>
      Effect.gen(function* () {
        const { store, tents, workspace, admitted, credits } = yield* begin
        const { job, tents: made } = yield* admitted({
          items: [item({ custom_page_alias: "twin" }), {}, item({ client_item_id: "ö", custom_page_alias: "twin" })],
          autoPublish: true,
          reasoning: "max",
          metadata: { z: 1, a: { deep: [null, "'"] } },
        })
        const found = yield* store.get(workspace, job.id)
        assert.deepStrictEqual(found.job, job)
        assert.deepStrictEqual(Object.keys(found.job.metadata ?? {}), ["z", "a"])
        const byId = (left: Tent, right: Tent) => (left.id < right.id ? -1 : 1)
        const after = made.flatMap((each) => each.after ?? []).sort(byId)
        assert.deepStrictEqual([...found.tents].sort(byId), after)
        assert.deepStrictEqual(after.map(({ request }) => request?.aliasTurn).sort(), [1, 2])
        for (const tent of after) assert.deepStrictEqual(yield* tents.get(workspace, tent.id), tent)
        assert.strictEqual(yield* credits(), 998)
      }),
    )

    it.effect("lists jobs newest first with their counts, in slices", () =>
      Effect.gen(function* () {
        const { store, fresh, workspace, admitted, change } = yield* begin
        const jobs = []
        for (const items of [[item(), {}], [item(), item()], [{}]]) jobs.push(yield* admitted({ items }))
        const [first] = jobs[1]?.tents ?? []
        if (first?.after === undefined || first.after === null) return assert.fail("no tent")
        yield* change(first.after.id, (tent) => TentChange.begin(tent, at(10)))
        const none = { pending: 0, queued: 0, generating: 0, completed: 0, failed: 0 }
        const wanted = jobs.map(({ job: { items: _, ...job } }, index) => ({
          ...job,
          accepted_count: [1, 2, 0][index],
          rejected_count: [1, 0, 1][index],
          tents: [{ ...none, queued: 1 }, { ...none, queued: 1, generating: 1 }, none][index],
        }))
        const one = yield* store.list(workspace, { after: null, limit: 2 })
        const two = yield* store.list(workspace, { after: one.next, limit: 2 })
        // They are of one instant: ties by id.
        const byId = wanted.toSorted((left, right) => (left.id < right.id ? -1 : 1))
        assert.deepStrictEqual<unknown>([...one.items, ...two.items], byId)
        assert.isNull(two.next)
        assert.deepStrictEqual(yield* store.list(yield* fresh.workspace(), { after: null, limit: 2 }), {
          items: [],
          next: null,
        })
      }),
    )

    it.effect("creates no tent and takes no credit for a job whose items were all rejected", () =>
      Effect.gen(function* () {
        const { store, workspace, admitted, credits } = yield* begin
        const { job } = yield* admitted({ items: [{}, { colour: 1 }] })
        const found = yield* store.get(workspace, job.id)
        assert.deepStrictEqual([found.job, found.tents], [job, []])
        assert.strictEqual(yield* credits(), 1000)
      }),
    )

    it.effect("shares the last credits between concurrent jobs that need more than there are", () =>
      Effect.gen(function* () {
        const { fresh, admitted, credits } = yield* begin
        const workspace = yield* fresh.workspace({ credits: 7 })
        const items = [item(), item(), item()]
        const jobs = yield* Effect.all(
          Array.from({ length: 5 }, () => admitted({ items }, workspace)),
          { concurrency: 5 },
        )
        assert.strictEqual(jobs.flatMap(({ tents }) => tents).length, 7)
        const codes = jobs.flatMap(({ job }) => job.items.flatMap((each) => ("code" in each ? each.code : [])))
        assert.deepStrictEqual(codes, Array(8).fill("INSUFFICIENT_CREDITS"))
        assert.strictEqual(yield* credits(workspace), 0)
      }),
    )

    it.effect("never takes more credits than there are, whatever the change says", () =>
      Effect.gen(function* () {
        const { store, tents, transact, fresh } = yield* begin
        const workspace = yield* fresh.workspace({ credits: 1 })
        const request: BulkRequest = {
          template: { id: TentTemplateId.make(yield* fresh.id), approvalId: ApprovalId.make(yield* fresh.id) },
          items: [item(), item()].map((each) => readBulkItem(each, { autoPublish: false })),
          clientJobDescriptor: null,
          defaultTentNamePrefix: null,
          startIndex: 1,
          autoPublish: false,
          reasoning: null,
          metadata: null,
          createdByName: "a key",
        }
        const id = BulkJobId.make(yield* fresh.id)
        const tentIds = [TentId.make(yield* fresh.id), TentId.make(yield* fresh.id)]
        // Decided on wrong facts.
        const change = BulkChange.admit({ id, request, html: "<p>x</p>", credits: 2, tentIds, now: at(1) })
        const refused = yield* Effect.result(transact(store.apply(workspace, change)))
        assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "InsufficientCredits")
        assert.strictEqual((yield* Effect.flip(store.get(workspace, id)))._tag, "NotFound")
        assert.deepStrictEqual((yield* tents.list(workspace, { after: null, limit: 5 })).items, [])
      }),
    )

    it.effect("advances a job with its tents and leaves out deleted ones", () =>
      Effect.gen(function* () {
        const { store, workspace, admitted, change } = yield* begin
        const { job, tents } = yield* admitted({ items: [item(), item(), item()] })
        const progress = Effect.map(store.get(workspace, job.id), (found) => progressOf(found.tents))
        assert.strictEqual((yield* progress).status, "accepted")
        const [one, two, three] = tents.flatMap(({ after }) => after?.id ?? [])
        if (one === undefined || two === undefined || three === undefined) return assert.fail("three are admitted")
        yield* change(one, (tent) => TentChange.begin(tent, at(10)))
        assert.strictEqual((yield* progress).status, "running")
        yield* change(one, (tent) => TentChange.complete(tent, "<p>x</p>", "sample", at(11)))
        yield* change(two, (tent) => TentChange.fail(tent, "no", at(12)))
        assert.deepStrictEqual(yield* progress, { status: "running", completed_count: 1, failed_count: 1 })
        yield* change(three, (tent) => TentChange.remove({ tent, assetIds: [] }, at(60)))
        assert.deepStrictEqual(yield* progress, { status: "completed", completed_count: 1, failed_count: 1 })
        assert.deepStrictEqual((yield* store.get(workspace, job.id)).job, job)
      }),
    )

    it.effect("writes no job and no tent and takes no credit when the transaction fails", () =>
      Effect.gen(function* () {
        const { tents, transact, workspace, admitted, credits } = yield* begin
        yield* Effect.exit(transact(Effect.andThen(admitted({ items: [item(), item()] }), Effect.fail("no"))))
        assert.deepStrictEqual((yield* tents.list(workspace, { after: null, limit: 5 })).items, [])
        assert.strictEqual(yield* credits(), 1000)
      }),
    )

    it.effect("shows nothing of another workspace", () =>
      Effect.gen(function* () {
        const { store, fresh, admitted } = yield* begin
        const { job } = yield* admitted({ items: [item()] })
        assert.strictEqual((yield* Effect.flip(store.get(yield* fresh.workspace(), job.id)))._tag, "NotFound")
      }),
    )
  })
