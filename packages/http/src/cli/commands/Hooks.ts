// The command `tentpole hook list`: webhook URLs for mail providers.
import { Hooks } from "@tentpole/core/bounces/providers/Hooks"
import { commandGroup, workspaceCommand } from "../Run.ts"

const list = workspaceCommand("list", "Shows the webhook URLs for mail providers. They are secret", {}, (workspace) =>
  Hooks.useSync(({ addresses }) => addresses(workspace)),
)

export const hook = commandGroup("hook", "Webhooks of mail providers: list", [list])
