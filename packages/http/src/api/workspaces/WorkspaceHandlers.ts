// The handler of the caller's workspace.
import { WorkspaceOverviews } from "@tentpole/core/workspaces/WorkspaceOverviews"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer } from "../../Wire.ts"
import { toOverviewWire } from "./WorkspaceWire.ts"

export const layer = handlersOf("workspace", WorkspaceOverviews, (overviews) => ({
  find: (_, workspace, { role }) => overviews.get(workspace).pipe(answer(toOverviewWire(role))),
}))
