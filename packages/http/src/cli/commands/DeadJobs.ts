// The commands `tentpole job …`: background jobs that failed permanently.
import { DeadJobs } from "@tentpole/core/operations/deadJobs/DeadJobs"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { toDeadJobWire } from "../../admin/InstallationApi.ts"
import { command } from "../OverPorts.ts"
import { allOf, commandGroup } from "../Output.ts"
import { textOf } from "../Table.ts"

const dead = command(
  "dead",
  "Shows the jobs that failed permanently, with their errors",
  {},
  () => Effect.flatMap(DeadJobs, ({ list }) => Effect.map(allOf(list), (jobs) => jobs.map(toDeadJobWire))),
  (jobs) => textOf(jobs, ["job_id", "attempts", "failure", "failed_at"]),
)

const job_id = Argument.String("job-id")

const requeue = command("requeue", "Queues a dead job again", { job_id }, ({ job_id: id }) =>
  DeadJobs.use((jobs) => Effect.as(jobs.requeue(id), { job_id: id, state: "ready" })),
)

const discard = command("discard", "Ends a dead job: it is not tried again", { job_id }, ({ job_id: id }) =>
  DeadJobs.use((jobs) => Effect.as(jobs.abandon(id), { job_id: id, state: "discarded" })),
)

export const job = commandGroup("job", "Background jobs: dead, requeue, discard", [dead, requeue, discard])
