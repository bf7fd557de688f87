// The endpoint of the caller's workspace.
import * as Endpoint from "../../Endpoint.ts"
import { WorkspaceOverviewWire } from "./WorkspaceWire.ts"

export const WorkspaceApi = Endpoint.group("workspace", "The workspace of the caller.").add(
  Endpoint.get("find", "/v1/workspace", {
    needs: "viewer",
    summary: "Get the workspace",
    description:
      "Returns what each member may know: the settings of the workspace, the limits of its plan, its domains, whether mail leaves, and the role of the caller. Owners change the settings in the administration API.",
    success: WorkspaceOverviewWire,
    errors: ["not_found"],
  }),
)
