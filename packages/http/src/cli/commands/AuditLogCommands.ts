// `tentpole audit-log`: who did what, newest first.
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { page_limit_max } from "@tentpole/core/kernel/Page"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { toAuditEntryWire } from "../../admin/AdminWire.ts"
import { named, overPorts, show } from "../Run.ts"

export const auditLog = Command.make(
  "audit-log",
  {
    workspace: Flag.String("workspace").pipe(
      Flag.withDescription("Only of the workspace with this slug"),
      Flag.optional,
    ),
    cursor: Flag.String("cursor").pipe(Flag.withDescription("`next_cursor` of the part before"), Flag.optional),
  },
  (said) =>
    overPorts(
      Effect.gen(function* () {
        const administration = yield* Administration
        const workspace = Option.isSome(said.workspace) ? { workspaceId: (yield* named(said.workspace.value)).id } : {}
        const cursor = Option.isSome(said.cursor) ? { cursor: said.cursor.value } : {}
        const { items, next } = yield* administration.auditLog({ limit: page_limit_max, ...workspace, ...cursor })
        yield* show({ entries: items.map(toAuditEntryWire), next_cursor: next })
      }),
    ),
).pipe(Command.withDescription("Shows who did what to keys, plans, domains, pages and sendings: the newest hundred"))
