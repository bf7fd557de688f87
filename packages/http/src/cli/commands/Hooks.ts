// `tentpole hook …`
import { Hooks } from "@tentpole/core/bounces/providers/Hooks"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { named, overPorts, show, workspaceFlag } from "../Run.ts"

const list = Command.make("list", { workspace: workspaceFlag }, ({ workspace }) =>
  overPorts(
    Effect.gen(function* () {
      const { addresses } = yield* Hooks
      const { id } = yield* named(workspace)
      yield* show(addresses(id))
    }),
  ),
).pipe(Command.withDescription("Shows the addresses that mail providers report to; they are secret"))

export const hook = Command.make("hook").pipe(
  Command.withDescription("Hooks of mail providers: list"),
  Command.withSubcommands([list]),
)
