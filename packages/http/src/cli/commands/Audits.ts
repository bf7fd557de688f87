// `tentpole audit blast <id>`: what the rows say of a blast, in one table. It ends with 1 when something is wrong.
import { type Audit, audit as judge } from "@tentpole/core/blasts/inspection/BlastAudit"
import { AuditStore } from "@tentpole/core/blasts/inspection/BlastAuditStore"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { Console, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { named, overPorts, show, workspaceFlag } from "../Run.ts"

/** Why the command ends with 1: one sentence. */
class AuditFailed extends Schema.TaggedError<AuditFailed>()("AuditFailed", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** The audit as people read it: a line for each check, then who the recipients are by what became of them. */
export const auditTable = ({ lines, recipients }: Audit): string => {
  const width = Math.max(...lines.map(({ check }) => check.length))
  const checks = lines.flatMap(({ check, deliveries, holds, says }) => [
    `${holds ? "ok   " : "WRONG"}  ${check.padEnd(width)}  ${says}`,
    ...deliveries.map((id) => `       ${id}`),
  ])
  const counts = recipients.map(
    ({ count, reason, state }) => `${String(count).padStart(10)}  ${reason === null ? state : `${state}: ${reason}`}`,
  )
  return [...checks, "", "Recipients:", ...(counts.length === 0 ? ["       nobody"] : counts)].join("\n")
}

const toJson = ({ holds, lines, recipients }: Audit) => ({
  ok: holds,
  checks: lines.map(({ check, deliveries, holds, says }) => ({ check, ok: holds, says, recipient_ids: deliveries })),
  recipients,
})

const blast = Command.make(
  "blast",
  {
    workspace: workspaceFlag,
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("One JSON document instead of a table"),
      Flag.withDefault(false),
    ),
    id: Argument.String("blast-id"),
  },
  (said) =>
    overPorts(
      Effect.gen(function* () {
        const { id: workspace } = yield* named(said.workspace)
        const store = yield* AuditStore
        const found = yield* Schema.decodeEffect(BlastId)(said.id).pipe(
          Effect.flatMap((id) => store.evidence(workspace, id)),
          Effect.mapError(
            () => new AuditFailed({ reason: `There is no blast ${said.id} in the workspace ${said.workspace}.` }),
          ),
        )
        const result = judge(found)
        yield* said.json ? show(toJson(result)) : Console.log(auditTable(result))
        const wrong = result.lines.filter(({ holds }) => !holds).length
        if (wrong > 0) {
          return yield* new AuditFailed({ reason: `${wrong} of ${result.lines.length} checks do not hold.` })
        }
      }),
    ),
).pipe(Command.withDescription("Says that everyone was mailed at most once, and who was not and why, or what is wrong"))

export const audit = Command.make("audit").pipe(
  Command.withDescription("Audits: blast"),
  Command.withSubcommands([blast]),
)
