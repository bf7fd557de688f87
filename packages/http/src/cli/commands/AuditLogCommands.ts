// The command `tentpole audit-log`: administrative changes, the newest first.
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { page_limit_max } from "@tentpole/core/kernel/Page"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { toAuditEntryWire } from "../../admin/AdminWire.ts"
import { command, workspaceOf } from "../Run.ts"

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
)
