// The commands `tentpole job …`: background jobs that failed permanently.
import { Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect } from "effect"
import { Argument } from "effect/cli"
import { command, commandGroup } from "../Run.ts"

const dead = command("dead", "Shows the jobs that failed permanently, with their errors", {}, () =>
  Effect.flatMap(Jobs, (jobs) =>
    Effect.map(jobs.dead, (all) =>
      all.map(({ attempts, failedAt, failure, id }) => ({
        id,
        attempts,
        failure,
        failed_at: DateTime.formatIso(failedAt),
      })),
    ),
  ),
)

const requeue = command(
  "requeue",
  "Queues a dead job again",
  { id: Argument.String("job-id") },
  Effect.fnUntraced(function* ({ id }) {
    const jobs = yield* Jobs
    const { transact } = yield* Transactor
    if (!(yield* transact(jobs.requeue(id)))) return yield* new NotFound({ resource: "dead job" })
    return { id, requeued: true }
  }),
)

export const job = commandGroup("job", "Background jobs: dead, requeue", [dead, requeue])
