// The groups of the administration API that concern the whole installation: its state, background jobs and the doctor. For
// operators.
import type { DeadJob } from "@tentpole/core/kernel/changes/Jobs"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import {
  lag_period_s,
  process_beat_s,
  process_silent_s_max,
  processKinds,
} from "@tentpole/core/operations/overview/ServiceOverview"
import type { ServiceOverview } from "@tentpole/core/operations/overview/ServiceOverviews"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { Finding } from "../doctor/Finding.ts"
import * as Endpoint from "../Endpoint.ts"
import { cursorQuery, InstantWire, iso, listing, oneOf, Text, toSnakeCase } from "../Wire.ts"

const params = { job_id: Text(320, 1) }

export const DeadJobWire = Schema.Struct({
  job_id: Schema.String.annotate({
    description: "The type of the job, and what it is for",
    examples: ["blast_start:7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"],
  }),
  type: Schema.String.annotate({ examples: ["blast_start"] }),
  workspace_id: WorkspaceId,
  attempts: Schema.Int,
  failure: Schema.String.annotate({ description: "The reason of the last failure, shortened" }),
  failed_at: InstantWire,
}).annotate({ identifier: "DeadJob" })

export const toDeadJobWire = ({ id, ...job }: DeadJob): typeof DeadJobWire.Type => ({ job_id: id, ...toSnakeCase(job) })

export const jobs = Endpoint.group("jobs", "Background jobs that failed permanently.").add(
  Endpoint.get("list", "/admin/v1/jobs", {
    needs: "operator",
    summary: "List dead jobs",
    description: "Returns the background jobs of all workspaces that failed all attempts, the newest failure first.",
    query: { ...cursorQuery, state: oneOf("dead").annotate({ description: "`dead`: jobs that failed all attempts" }) },
    success: listing({ jobs: Schema.Array(DeadJobWire) }),
    errors: ["invalid_cursor"],
  }),
  Endpoint.post("requeue", "/admin/v1/jobs/:job_id/requeue", {
    needs: "operator",
    summary: "Requeue a dead job",
    description: "Lets workers try a dead job again, from its first attempt. Fix the reason of its failure first.",
    params,
    success: Schema.Struct({ job_id: Schema.String, state: Schema.Literal("ready") }).pipe(HttpApiSchema.status(202)),
    errors: ["not_found"],
  }),
  Endpoint.delete("remove", "/admin/v1/jobs/:job_id", {
    needs: "operator",
    summary: "Discard a dead job",
    description:
      "Ends a dead job: it is not tried again. This cannot be undone. What the job was for stays undone, such as the files of an export.",
    params,
    errors: ["not_found"],
  }),
)

const CheckWire = Schema.Struct({
  name: Schema.String.annotate({ description: "The setting or the dependency", examples: ["database"] }),
  ok: Schema.Boolean,
  found: Schema.String.annotate({
    description: "The result in one sentence",
    examples: ["PostgreSQL 18 answers"],
  }),
  mend: Schema.NullOr(Schema.String).annotate({
    description: "How to fix it. With `ok`, a warning: what is better for production. null: nothing to do",
  }),
}).annotate({ identifier: "DoctorCheck" })

export const toCheckWire = ({ check, mend, says, state }: Finding): typeof CheckWire.Type => ({
  name: check,
  ok: state !== "wrong",
  found: says,
  mend,
})

export const doctor = Endpoint.group("doctor", "Checks of settings and dependencies.").add(
  Endpoint.post("run", "/admin/v1/doctor", {
    needs: "operator",
    summary: "Run the doctor",
    description:
      "Checks the settings and dependencies of the process that answers: database, file store, mail server, DNS, AI and ports. It changes nothing, and takes up to 20 seconds. Returns 409 while another call runs.",
    success: Schema.Struct({ checks: Schema.Array(CheckWire) }),
    errors: ["conflict"],
  }),
)

const Seconds = Schema.NullOr(Schema.Finite)

const ProcessWire = Schema.Struct({
  process_id: Schema.String.annotate({ format: "uuid", description: "Id of this start of the process" }),
  kind: oneOf(...processKinds),
  started_at: InstantWire,
  seen_at: InstantWire.annotate({
    description: `The last report, by the database's clock. A process reports every ${process_beat_s} seconds; after ${process_silent_s_max} it is gone`,
  }),
  rss_bytes: Schema.Finite.annotate({ description: "Memory that the process occupies" }),
  event_loop_p99_ms: Schema.Finite.annotate({ description: "Delay of the event loop in the last ten seconds" }),
}).annotate({ identifier: "ServiceProcess" })

const JobCountsWire = Schema.Struct({
  type: Schema.String.annotate({ examples: ["import_run"] }),
  ready: Schema.Int,
  running: Schema.Int,
  later: Schema.Int.annotate({ description: "Jobs whose time is later, such as those that are tried again" }),
  dead: Schema.Int,
  oldest_s: Seconds.annotate({ description: "How long the oldest ready job has been waiting" }),
}).annotate({ identifier: "JobCounts" })

const LagPointWire = Schema.Struct({
  at: InstantWire.annotate({ description: `The beginning of ${lag_period_s / 60} minutes` }),
  blasts: Seconds.annotate({ description: "Of scheduled blasts" }),
  deliveries: Seconds.annotate({ description: "Of messages" }),
  flows: Seconds.annotate({ description: "Of members of flows" }),
  flow_events: Seconds.annotate({ description: "Of events that flows read" }),
  flow_dates: Seconds.annotate({ description: "Of date triggers of flows" }),
  webhooks: Seconds.annotate({ description: "Of webhooks" }),
  messages: Seconds.annotate({ description: "Of single messages" }),
  subscriptions: Seconds.annotate({ description: "Of subscription requests that expire" }),
  confirmations: Seconds.annotate({ description: "Of the confirmation mails of imports" }),
}).annotate({ identifier: "LagPoint" })

const OperationsWire = Schema.Struct({
  version: Schema.String.annotate({ description: "The release of the process that answers" }),
  processes: Schema.Array(ProcessWire).annotate({ description: "Those that reported within a day" }),
  jobs: Schema.Array(JobCountsWire).annotate({ description: "Types without a job that is not completed are left out" }),
  due: Schema.Array(
    Schema.Struct({
      kind: Schema.String.annotate({ examples: ["deliveries"] }),
      workspaces: Schema.Int.annotate({ description: "Workspaces whose time has come" }),
      lag_s: Schema.Finite.annotate({ description: "How long the workspace that waits longest has been due" }),
    }),
  ),
  lags: Schema.Array(LagPointWire).annotate({
    description: `The longest lag of each kind of due work, for each ${lag_period_s / 60} minutes of the last 24 hours. null: no process reported`,
  }),
  deliveries: Schema.Struct({
    open: Schema.Int.annotate({ description: "Messages that have not ended, of blasts that are being sent" }),
    paused: Schema.Int.annotate({ description: "The same, of paused blasts" }),
    claimed: Schema.Int.annotate({ description: "Messages that a worker has taken" }),
    handed_over: Schema.Int.annotate({ description: "Messages on their way, until their outcome is written" }),
    oldest_s: Seconds.annotate({ description: "How long the oldest message has been on its way" }),
  }),
  sending: oneOf("on", "held"),
  mail: oneOf("smtp", "files"),
  database: Schema.Struct({
    bytes: Schema.Finite.annotate({ description: "Size of the database" }),
    connections: Schema.Int.annotate({ description: "Connections of the service to the database" }),
  }),
}).annotate({ identifier: "Operations" })

export const toOperationsWire = ({ lags, processes, ...overview }: ServiceOverview): typeof OperationsWire.Type => ({
  ...overview,
  lags: lags.map(({ at, ...seconds }) => ({ at: iso(at), ...seconds })),
  processes: processes.map(({ eventLoopP99_ms, id, kind, rss_bytes, seenAt, startedAt }) => ({
    process_id: id,
    kind,
    started_at: iso(startedAt),
    seen_at: iso(seenAt),
    rss_bytes,
    event_loop_p99_ms: eventLoopP99_ms,
  })),
})

export const operations = Endpoint.group("operations", "The state of the installation.").add(
  Endpoint.get("find", "/admin/v1/operations", {
    needs: "operator",
    summary: "Get the state of the installation",
    description:
      "Returns the processes of the service, the jobs and messages that wait in all workspaces, the lag of due work, and the size of the database. The counts are read from stored counters and indexes of open work.",
    success: OperationsWire,
  }),
)
