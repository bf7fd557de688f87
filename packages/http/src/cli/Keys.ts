// `tentpole key …`
import { ApiKeyId } from "@tentpole/core/Ids"
import type { ApiKey } from "@tentpole/core/workspaces/ApiKey"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { DateTime, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { named, overPorts, show, workspaceFlag } from "./Run.ts"

const instant = (at: DateTime.Utc | null): string | null => (at === null ? null : DateTime.formatIso(at))

const shown = (key: ApiKey) => ({
  key_id: key.id,
  name: key.name,
  prefix: key.prefix,
  expires_at: instant(key.expiresAt),
  revoked_at: instant(key.revokedAt),
  last_used_at: instant(key.lastUsedAt),
  created_at: DateTime.formatIso(key.createdAt),
})

const list = Command.make("list", { workspace: workspaceFlag }, ({ workspace }) =>
  overPorts(
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const { id } = yield* named(workspace)
      yield* show((yield* store.keys(id)).map(shown))
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
        yield* show({ ...shown(made.key), api_key: made.raw })
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
