// The commands `tentpole key …`: API keys of a workspace.
import { ApiKeyId } from "@tentpole/core/kernel/Ids"
import { roles } from "@tentpole/core/workspaces/Role"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { DateTime, Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { toKeyWire, toNewKeyWire } from "../../admin/AdminWire.ts"
import { listCommand, workspaceCommand } from "../OverPorts.ts"
import { commandGroup } from "../Output.ts"

const list = listCommand("Shows the API keys of a workspace", ({ keys }) => keys, toKeyWire, [
  "key_id",
  "name",
  "prefix",
  "last_used_at",
  "expires_at",
  "revoked_at",
])

const create = workspaceCommand(
  "create",
  "Creates an API key, which is shown only once",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Name of the key")),
    role: Flag.Literals("role", roles).pipe(
      Flag.withDescription("What the key can do: viewer, editor, sender or owner"),
      Flag.withDefault("owner" as const),
    ),
    expires: Flag.Date("expires").pipe(Flag.withDescription("When the key expires"), Flag.optional),
  },
  (workspace, { expires, name, role }) =>
    Workspaces.use(({ createKey }) =>
      createKey(workspace, {
        name,
        role,
        ...(Option.isSome(expires) ? { expiresAt: DateTime.makeUnsafe(expires.value) } : {}),
      }),
    ).pipe(Effect.map(toNewKeyWire)),
)

const revoke = workspaceCommand(
  "revoke",
  "Revokes an API key at once",
  { key: Argument.String("key-id").pipe(Argument.withSchema(ApiKeyId)) },
  (workspace, { key }) =>
    Workspaces.use(({ revokeKey }) => Effect.as(revokeKey(workspace, key), { key_id: key, revoked: true })),
)

export const key = commandGroup("key", "API keys: list, create, revoke", [list, create, revoke])
