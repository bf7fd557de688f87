// The number of refused sign-ins, which the audit log gets once an hour. An entry for each would let strangers fill the log.
import { Effect, Ref, Schedule } from "effect"
import { AuditLog } from "../../kernel/changes/AuditLog.ts"
import { logFailure } from "../../kernel/runtime/logFailure.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"

export const refusalCount = Effect.gen(function* () {
  const audit = yield* AuditLog
  const { transact } = yield* Transactor
  const refused = yield* Ref.make(0)

  const write = Effect.flatMap(Ref.getAndSet(refused, 0), (count) =>
    count === 0
      ? Effect.void
      : transact(
          audit.append([{ workspaceId: null, action: "user.refused", target: "sign-in", details: { count } }]),
        ).pipe(logFailure("writing the count of refused sign-ins failed", { count }, "Warning")),
  )
  yield* Effect.addFinalizer(() => write)
  yield* Effect.forkScoped(Effect.repeat(Effect.delay(write, "1 hour"), Schedule.forever))
  return { count: Ref.update(refused, (count) => count + 1) }
})
