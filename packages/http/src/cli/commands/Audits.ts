// The command `tentpole audit blast <id>`: checks of a blast's rows as a table. It exits with 1 if a check fails.
import { type Audit, audit as judge } from "@tentpole/core/blasts/inspection/BlastAudit"
import { BlastAuditStore } from "@tentpole/core/blasts/inspection/BlastAuditStore"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { Console, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { commandGroup, overPorts, show, workspaceFlag, workspaceOf } from "../Run.ts"

/** The reason for exit code 1. */
class AuditFailed extends Schema.TaggedError<AuditFailed>()("AuditFailed", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** The audit as text: a line for each check, then the recipients by outcome. */
export const auditTable = ({ lines, recipients }: Audit): string => {
  const width = Math.max(...lines.map(({ check }) => check.length))
  const checks = lines.flatMap(({ check, deliveries, holds, result }) => [
    `${holds ? "ok   " : "WRONG"}  ${check.padEnd(width)}  ${result}`,
    ...deliveries.map((id) => `       ${id}`),
  ])
  const counts = recipients.map(
    ({ count, reason, state }) => `${String(count).padStart(10)}  ${reason === null ? state : `${state}: ${reason}`}`,
  )
  return [...checks, "", "Recipients:", ...(counts.length === 0 ? ["       none"] : counts)].join("\n")
}

const toJson = ({ holds, lines, recipients }: Audit) => ({
  ok: holds,
  checks: lines.map(({ check, deliveries, holds, result }) => ({
    check,
    ok: holds,
    says: result,
    recipient_ids: deliveries,
  })),
  recipients,
})

const blast = Command.make(
  "blast",
  {
    workspace: workspaceFlag,
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Prints one JSON document instead of a table"),
      Flag.withDefault(false),
    ),
    id: Argument.String("blast-id"),
  },
  (input) =>
    overPorts(
      Effect.gen(function* () {
        const { id: workspace } = yield* workspaceOf(input.workspace)
        const store = yield* BlastAuditStore
        const found = yield* Schema.decodeEffect(BlastId)(input.id).pipe(
          Effect.flatMap((id) => store.evidence(workspace, id)),
          Effect.mapError(
            () => new AuditFailed({ reason: `The workspace ${input.workspace} has no blast ${input.id}.` }),
          ),
        )
        const result = judge(found)
        yield* input.json ? show(toJson(result)) : Console.log(auditTable(result))
        const wrong = result.lines.filter(({ holds }) => !holds).length
        if (wrong > 0) {
          return yield* new AuditFailed({ reason: `${wrong} of ${result.lines.length} checks failed.` })
        }
      }),
    ),
).pipe(Command.withDescription("Checks that each recipient got at most one message, and shows why others got none"))

export const audit = commandGroup("audit", "Audits: blast", [blast])
