// The commands `tentpole audit blast <id>`, which checks the rows of a blast and exits with 1 if a check fails, and
// `tentpole audit-log`: administrative changes, the newest first.
import { type Audit, audit as judge } from "@tentpole/core/blasts/inspection/BlastAudit"
import { BlastAuditStore } from "@tentpole/core/blasts/inspection/BlastAuditStore"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { page_limit_max } from "@tentpole/core/kernel/Page"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { toAuditEntryWire } from "../../admin/AdminWire.ts"
import { toAuditWire } from "../../api/blasts/BlastWire.ts"
import { command, overPorts, workspaceFlag, workspaceOf } from "../OverPorts.ts"
import { ChecksFailed, commandGroup, jsonFlag, report } from "../Output.ts"
import { textOf } from "../Table.ts"

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

const blast = Command.make(
  "blast",
  {
    workspace: workspaceFlag,
    json: jsonFlag,
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
            () => new ChecksFailed({ reason: `The workspace ${input.workspace} has no blast ${input.id}.` }),
          ),
        )
        const result = judge(found)
        const failed = result.lines.filter(({ holds }) => !holds).length
        yield* report(
          { json: input.json, document: toAuditWire(result), table: auditTable(result) },
          { failed, total: result.lines.length },
        )
      }),
    ),
).pipe(Command.withDescription("Checks that each recipient got at most one message, and shows why others got none"))

export const audit = commandGroup("audit", "Audits: blast", [blast])

export const auditLog = command(
  "audit-log",
  "Shows the newest 100 changes of keys, plans, domains, pages and blasts",
  {
    workspace: Flag.String("workspace").pipe(
      Flag.withDescription("Shows only changes in the workspace with this slug"),
      Flag.optional,
    ),
    cursor: Flag.String("cursor").pipe(Flag.withDescription("`next_cursor` of the previous page"), Flag.optional),
  },
  Effect.fnUntraced(function* (input) {
    const administration = yield* Administration
    const workspace = Option.isSome(input.workspace)
      ? { workspaceId: (yield* workspaceOf(input.workspace.value)).id }
      : {}
    const cursor = Option.isSome(input.cursor) ? { cursor: input.cursor.value } : {}
    const { items, next } = yield* administration.auditLog({ limit: page_limit_max, ...workspace, ...cursor })
    return { entries: items.map(toAuditEntryWire), next_cursor: next }
  }),
  (page) => textOf(page, ["at", "actor", "action", "target", "details"]),
)
