// What a stream of changes shows of each thing: the answers of the calls that get it, read once a second for all streams of this
// process that watch it.
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { BlastReports } from "@tentpole/core/blasts/figures/BlastReports"
import { Emails } from "@tentpole/core/emails/Emails"
import { Exports } from "@tentpole/core/exports/Exports"
import { Flows } from "@tentpole/core/flows/Flows"
import { Imports } from "@tentpole/core/imports/Imports"
import {
  BlastId,
  BulkJobId,
  EmailId,
  ExportId,
  FlowId,
  ImportRunId,
  TentId,
  WebhookEndpointId,
  WorkspaceId,
} from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { BulkTents } from "@tentpole/core/tents/bulk/BulkTents"
import { Tents } from "@tentpole/core/tents/Tents"
import { WebhookEndpoints } from "@tentpole/core/webhooks/endpoints/WebhookEndpoints"
import { Context, Effect, Layer, RcMap, Schedule, Semaphore, Stream, SubscriptionRef } from "effect"
import { toBlastWire } from "../blasts/BlastWire.ts"
import { toBlastProgress } from "../blasts/FiguresWire.ts"
import { toEmailWire } from "../emails/EmailsApi.ts"
import { toExportWire } from "../exports/ExportEndpoints.ts"
import { toGraphWire } from "../flows/FlowWire.ts"
import { toNamedRunWire, toRunWire } from "../imports/ImportWire.ts"
import { toBulkJobWire } from "../tents/bulk/BulkTentsApi.ts"
import { toTentWire } from "../tents/TentsApi.ts"
import { toEndpointWithHoursWire } from "../webhooks/WebhookWire.ts"
import type { Watched, WatchedKind } from "./ChangesApi.ts"

const poll_every_ms = 1_000
/** The figures of an endpoint count what waits. */
const poll_webhook_every_ms = 3_000

/** Reads at a time in one process, however many things are watched. */
const reads_max = 4

/** Blasts and imports in the value of a workspace. */
const listed_max = 10

type Read = (workspace: WorkspaceId, id: string) => Effect.Effect<unknown, unknown>

const readers = Effect.gen(function* () {
  const blasts = yield* Blasts
  const reports = yield* BlastReports
  const emails = yield* Emails
  const exports = yield* Exports
  const flows = yield* Flows
  const imports = yield* Imports
  const tents = yield* Tents
  const bulk = yield* BulkTents
  const webhooks = yield* WebhookEndpoints

  const sending = {
    status: "sending",
    search: "",
    sortBy: "updated_at",
    sortOrder: "desc",
    page: 1,
    limit: listed_max,
  } as const

  const blast = (workspace: WorkspaceId, id: BlastId) =>
    Effect.zipWith(blasts.get(workspace, id), reports.progress(workspace, id), (view, progress) => ({
      ...toBlastWire(view),
      progress: toBlastProgress(progress),
    }))

  const goingOn = Effect.fnUntraced(function* (workspace: WorkspaceId) {
    const { items } = yield* blasts.list(workspace, sending)
    const runs = yield* imports.listRuns(workspace, { limit: listed_max })
    return {
      blasts: yield* Effect.forEach(items, (each) => blast(workspace, each.blast.id)),
      imports: runs.items.filter(({ status }) => status === "queued" || status === "running").map(toNamedRunWire),
    }
  })

  return {
    workspace: goingOn,
    blast: (workspace, id) => blast(workspace, BlastId.make(id)),
    bulk: (workspace, id) => Effect.map(bulk.get(workspace, BulkJobId.make(id)), toBulkJobWire),
    email: (workspace, id) => Effect.map(emails.get(workspace, EmailId.make(id)), toEmailWire),
    export: (workspace, id) =>
      Effect.map(exports.getRecord(workspace, ExportId.make(id)), (record) => toExportWire({ record, link: null })),
    flow: (workspace, id) => Effect.map(flows.getStepCounts(workspace, FlowId.make(id)), toGraphWire),
    import: (workspace, id) => Effect.map(imports.getRun(workspace, ImportRunId.make(id)), toRunWire),
    webhook: (workspace, id) =>
      Effect.map(webhooks.get(workspace, WebhookEndpointId.make(id)), toEndpointWithHoursWire),
    tent: (workspace, id) => Effect.map(tents.get(workspace, TentId.make(id)), toTentWire),
  } satisfies Record<WatchedKind | "workspace", Read>
})

/** The value as JSON; what does not exist is null. Undefined if it could not be read: the last value stays. */
const jsonOf = (value: Effect.Effect<unknown, unknown>): Effect.Effect<string | undefined> =>
  value.pipe(
    Effect.map((read): string | undefined => JSON.stringify(read)),
    Effect.catch((refusal) => Effect.succeed(refusal instanceof NotFound ? "null" : undefined)),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning("a watched value could not be read", cause), undefined)),
  )

export class WatchedValues extends Context.Service<
  WatchedValues,
  {
    /** The value as JSON, and again each time that it changes. */
    readonly changes: (workspace: WorkspaceId, watched: Watched) => Stream.Stream<string>
  }
>()("tentpole/http/WatchedValues") {
  static readonly layer = Layer.effect(
    WatchedValues,
    Effect.gen(function* () {
      const read = yield* readers
      const turns = yield* Semaphore.make(reads_max)

      /** The value of a key, polled while a stream watches it. */
      const polled = Effect.fnUntraced(function* (key: string) {
        const [workspace = "", kind = "", id = ""] = key.split(" ")
        const value = yield* SubscriptionRef.make<string | undefined>(undefined)
        const next = turns.withPermits(1)(jsonOf(read[kind as WatchedKind](WorkspaceId.make(workspace), id)))
        yield* Effect.flatMap(next, (json) =>
          json === undefined || json === SubscriptionRef.getUnsafe(value)
            ? Effect.void
            : SubscriptionRef.set(value, json),
        ).pipe(
          Effect.repeat(Schedule.spaced(kind === "webhook" ? poll_webhook_every_ms : poll_every_ms)),
          Effect.forkScoped,
        )
        return value
      })
      const shared = yield* RcMap.make({ lookup: polled })

      return WatchedValues.of({
        changes: (workspace, { kind, id }) =>
          Stream.unwrap(Effect.map(RcMap.get(shared, `${workspace} ${kind} ${id}`), SubscriptionRef.changes)).pipe(
            Stream.filter((json) => json !== undefined),
          ),
      })
    }),
  )
}
