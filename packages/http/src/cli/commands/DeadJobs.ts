// `tentpole job …`: background work that was given up, and putting it back.
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Jobs } from "@tentpole/core/kernel/Jobs"
import { Transactor } from "@tentpole/core/kernel/Transactor"
import { DateTime, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { overPorts, show } from "../Run.ts"

const dead = Command.make("dead", {}, () =>
  overPorts(
    Effect.gen(function* () {
      const jobs = yield* Jobs
      const all = yield* jobs.dead
      yield* show(
        all.map((each) => ({
          id: each.id,
          attempts: each.attempts,
          failure: each.failure,
          failed_at: DateTime.formatIso(each.failedAt),
        })),
      )
    }),
  ),
).pipe(Command.withDescription("Shows the jobs that were given up, and why"))

const requeue = Command.make("requeue", { id: Argument.String("job-id") }, ({ id }) =>
  overPorts(
    Effect.gen(function* () {
      const jobs = yield* Jobs
      const { transact } = yield* Transactor
      if (!(yield* transact(jobs.requeue(id)))) return yield* new NotFound({ resource: "dead job" })
      yield* show({ id, requeued: true })
    }),
  ),
).pipe(Command.withDescription("Puts a dead job back as if new"))

export const job = Command.make("job").pipe(
  Command.withDescription("Background jobs: dead, requeue"),
  Command.withSubcommands([dead, requeue]),
)
