// `tentpole key …`
import { ApiKeyId } from "@tentpole/core/kernel/Ids"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { DateTime, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { toKeyWire, toNewKeyWire } from "../../admin/AdminWire.ts"
import { named, overPorts, show, slicesOf, workspaceFlag } from "../Run.ts"

const list = Command.make("list", { workspace: workspaceFlag }, ({ workspace }) =>
  overPorts(
    Effect.gen(function* () {
      const { keys } = yield* Administration
      const { id } = yield* named(workspace)
      yield* show((yield* slicesOf((by) => keys(id, by))).map(toKeyWire))
    }),
  ),
).pipe(Command.withDescription("Shows a workspace's keys"))

const create = Command.make(
  "create",
  {
    workspace: workspaceFlag,
    name: Flag.String("name").pipe(Flag.withDescription("What it is for")),
    expires: Flag.Date("expires").pipe(Flag.withDescription("When it stops working"), Flag.optional),
  },
  (said) =>
    overPorts(
      Effect.gen(function* () {
        const workspaces = yield* Workspaces
        const { id } = yield* named(said.workspace)
        const made = yield* workspaces.createKey(id, {
          name: said.name,
          ...(Option.isSome(said.expires) ? { expiresAt: DateTime.makeUnsafe(said.expires.value) } : {}),
        })
        yield* show(toNewKeyWire(made))
      }),
    ),
).pipe(Command.withDescription("Makes a key; it is shown once"))

const revoke = Command.make(
  "revoke",
  { workspace: workspaceFlag, key: Argument.String("key-id").pipe(Argument.withSchema(ApiKeyId)) },
  (said) =>
    overPorts(
      Effect.gen(function* () {
        const workspaces = yield* Workspaces
        const { id } = yield* named(said.workspace)
        yield* workspaces.revokeKey(id, said.key)
        yield* show({ key_id: said.key, revoked: true })
      }),
    ),
).pipe(Command.withDescription("Revokes a key: it stops working at once"))

export const key = Command.make("key").pipe(
  Command.withDescription("API keys: list, create, revoke"),
  Command.withSubcommands([list, create, revoke]),
)
