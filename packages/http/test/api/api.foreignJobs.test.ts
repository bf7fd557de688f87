// Tests of jobs with ids of another workspace.
import * as Memory from "@tentpole/adapters/memory/All"
import * as MemoryJobs from "@tentpole/adapters/memory/kernel/Jobs"
import { MemoryDatabase } from "@tentpole/adapters/memory/kernel/MemoryDatabase"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { tagged } from "@tentpole/core/contract"
import { ConnectFailed, MailConnections } from "@tentpole/core/sending/MailConnection"
import { BlastId, FlowId, WebhookEndpointId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Job, JobQueue, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { useCases } from "@tentpole/core/Tentpole"
import * as WorkersTable from "@tentpole/worker/jobs/Jobs"
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, HashMap, Layer, Stream } from "effect"
import { tenants, verifiedSender } from "../attacks/AttackFixture.ts"
import { multipart, png } from "../fixtures/Multipart.ts"
import { type Call, type Json, memoryStores, parts } from "../fixtures/World.ts"

/** The queued jobs, in order. */
const noting = (queued: Array<Job>) =>
  Layer.effect(
    Jobs,
    Effect.map(Jobs, (jobs) =>
      Jobs.of({
        ...jobs,
        enqueue: (job, options) =>
          Effect.sync(() => void queued.push(job)).pipe(Effect.andThen(jobs.enqueue(job, options))),
      }),
    ),
  )

const worldOf = (queued: Array<Job>) =>
  useCases.pipe(
    Layer.provideMerge(memoryStores),
    Layer.provideMerge(noting(queued)),
    Layer.provideMerge(MemoryJobs.layer()),
    Layer.provideMerge(parts),
    Layer.provideMerge(Memory.database),
  )

const sender = { from_name: "Acme", from_address: "a@example.test", reply_to_email: "r@example.test" }
const prompt = "Write about our spring sale of garden chairs"

/** Queues a job of every type that an API request can queue, in a workspace. */
const busy = Effect.fnUntraced(function* (call: Call) {
  const made = (method: string, path: string, json: Json = {}) =>
    Effect.map(call(method, path, { json }), (answered): Json => {
      assert.isBelow(answered.status, 300, `${method} ${path}: ${answered.text}`)
      return answered.json
    })
  const { items } = yield* made("POST", "/v1/contacts", { items: [{ email: "ann@theirs.test" }] })
  const people = { name: "Theirs", kind: "static", contact_ids: [items[0].contact_id] }
  const { list_id } = yield* made("POST", "/v1/contact-lists", people)
  yield* made("POST", `/v1/contact-lists/${list_id}/export`)
  yield* made("POST", "/v1/consent-records/export")
  const session = yield* made("POST", "/v1/contacts/imports", { source: "rows", rows: [{ Email: "bob@theirs.test" }] })
  const mappings = [{ header: "Email", target_field: "email" }]
  yield* made("POST", `/v1/contacts/imports/${session.import_session_id}/execute`, { mappings })
  const logo = yield* call("POST", "/v1/tents/new/assets", multipart([{ bytes: png }]))
  yield* made("POST", "/v1/tents", { name: "n", prompt: "Create a landing page for a spring sale" })
  const page = yield* made("POST", "/v1/tents", { name: "n", html: "<title>Sale</title><h1>Sale</h1>" })
  yield* made("POST", `/v1/tents/${page.id}/revise`, { instruction: "Add the opening hours" })
  for (const room of ["emails", "email-templates", "tent-templates"])
    yield* made("POST", `/v1/${room}`, { name: "n", prompt })
  const { blast_id } = yield* made("POST", "/v1/email-blasts", { name: "Theirs" })
  const blast = `/v1/email-blasts/${blast_id}`
  yield* made("PUT", `${blast}/audience`, { source: "existing", list_id })
  const inline = { source: "inline", subject: "Hi", html: "<p>Hi</p>", ...sender }
  const { email } = yield* made("PUT", `${blast}/email`, inline)
  yield* made("POST", `/v1/emails/${email.email_id}/test-send`, { to: ["a@example.test"] })
  yield* made("POST", `/v1/emails/${email.email_id}/approve`)
  yield* made("POST", `${blast}/send-now`)
  yield* made("POST", `${blast}/contacts/export`)
  const endpoint = { url: "https://example.org/hooks", event_types: ["*"] }
  const { endpoint_id } = yield* made("POST", "/v1/webhook-endpoints", endpoint)
  yield* made("POST", `/v1/webhook-endpoints/${endpoint_id}/test`)
  yield* made("POST", `/v1/webhook-endpoints/${endpoint_id}/replay`, { since: "2020-01-01T00:00:00Z", status: "all" })
  const flow = yield* made("POST", "/v1/email-flows", { name: "Theirs" })
  assert.strictEqual(logo.status, 201)
  return {
    blastId: BlastId.make(blast_id),
    flowId: FlowId.make(flow.flow_id),
    endpointId: WebhookEndpointId.make(endpoint_id),
  }
})

/** Runs the given jobs with the handlers of the worker; returns after each has ended, in success or failure. */
const worked = Effect.fnUntraced(function* <R>(context: Context.Context<R>, jobs: ReadonlyArray<Job>) {
  const ended = yield* Deferred.make<void>()
  const queue = JobQueue.of({
    work: ({ handle }) =>
      Effect.forEach(jobs, (job, at) => Effect.exit(handle(job, { id: `job ${at}`, attempt: 1 }))).pipe(
        Effect.andThen(Deferred.succeed(ended, undefined)),
        Effect.andThen(Effect.never),
      ),
  })
  const noConnections = MailConnections.of({
    open: Effect.fail(new ConnectFailed({ reason: "unreachable", permanent: false, crowded: false })),
  })
  const given = Layer.mergeAll(
    Layer.succeedContext(context),
    Layer.succeed(JobQueue, queue),
    Layer.succeed(MailConnections, noConnections),
  )
  yield* Layer.build(WorkersTable.layer.pipe(Layer.provide(given)))
  yield* Deferred.await(ended)
})

/** Job types without ids of other entities, or which only a flow membership can queue. */
const untried: Readonly<Record<string, string>> = {
  workspace_erasure: "has only the id of its workspace",
  flow_email: "step visits are read by workspace and membership: the contract tests of step executors cover them",
  flow_tent: "the same",
}

const foreignNestedIdTest = tagged(it.live, "attack/foreign-nested-id")
foreignNestedIdTest("a job with ids of another workspace changes nothing there, for every job type", () =>
  Effect.gen(function* () {
    const queued: Array<Job> = []
    const { context, tenant } = yield* tenants(worldOf(queued))
    const [ours, theirs] = [yield* tenant("ours"), yield* tenant("theirs")]
    yield* verifiedSender(theirs.workspace, context)
    const { blastId, endpointId, flowId } = yield* busy(theirs.call)
    const of = theirs.workspace
    const since_ms = 0
    const all: ReadonlyArray<Job> = [
      ...queued,
      ...queued.flatMap((job): ReadonlyArray<Job> =>
        job.type === "list_export" || job.type === "blast_export" || job.type === "consent_export"
          ? [{ ...job, type: `${job.type}_expiry` }]
          : [],
      ),
      { type: "blast_retry", workspaceId: of, blastId, since_ms, includeUnconfirmed: true },
      { type: "webhook_cleanup", workspaceId: of, endpointId },
      { type: "flow_review", workspaceId: of, flowId, members: "live" },
    ]
    const { root } = Context.get(context, MemoryDatabase)
    const blobs = Context.get(context, BlobStore)
    const cleanup = all.find((job) => job.type === "asset_cleanup")
    if (cleanup?.type !== "asset_cleanup") return assert.fail("no file was uploaded")
    const key = `tents/${theirs.workspace}/${cleanup.tentId}/${cleanup.assetIds[0]}`
    const stateOf = (workspace: WorkspaceId) =>
      Array.from(HashMap.filter(root.state, (_, table) => table.endsWith(`/${workspace}`)))
        .flatMap(([table, rows]) => Array.from(HashMap.values(rows), (row) => JSON.stringify({ table, row })))
        .sort()
    const [before, oursBefore] = [stateOf(theirs.workspace), stateOf(ours.workspace)]
    yield* worked(
      context,
      all.map((job) => ({ ...job, workspaceId: ours.workspace })),
    )
    assert.deepStrictEqual(stateOf(theirs.workspace), before)
    assert.deepStrictEqual(stateOf(ours.workspace), oursBefore, "nothing is created in the caller's workspace either")
    assert.strictEqual((yield* blobs.get(key).pipe(Stream.runCollect)).length, 1)
    const tried = new Set(all.map(({ type }) => type))
    const left = Job.members.map(({ fields }) => fields.type.literal).filter((type) => !tried.has(type))
    assert.sameMembers(left, Object.keys(untried))
    yield* worked(context, all)
    assert.notDeepEqual(stateOf(theirs.workspace), before, "the same jobs have an effect in their own workspace")
  }).pipe(Effect.scoped),
)
