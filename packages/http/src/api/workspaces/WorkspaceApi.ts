// The endpoints of the caller's workspace: its overview, and search by name over all that it has.
import * as Endpoint from "../../Endpoint.ts"
import { results_max } from "@tentpole/core/operations/search/Search"
import { limitParameter, Text } from "../../Wire.ts"
import { SearchResultsWire, WorkspaceOverviewWire } from "./WorkspaceWire.ts"

export const WorkspaceApi = Endpoint.group("workspace", "The workspace of the caller.").add(
  Endpoint.get("find", "/v1/workspace", {
    needs: "viewer",
    summary: "Get the workspace",
    description:
      "Returns what each member may know: the settings of the workspace, the limits of its plan, its domains, whether mail leaves, and the role of the caller. Owners change the settings in the administration API.",
    success: WorkspaceOverviewWire,
    errors: ["not_found"],
  }),
  Endpoint.get("search", "/v1/search", {
    needs: "viewer",
    summary: "Search by name",
    description:
      "Returns lists, emails, blasts, flows, tents and templates whose names contain a text, and contacts whose email address, display name, first or last name begins with it. Case-insensitive, without wildcards. At most 5 of a type; names that begin with the text come first. Of each type except contacts the newest 10,000 are searched. The listings of each type search all of them.",
    query: {
      q: Text(255, 1).annotate({ description: "The text. White space around it is ignored", examples: ["ann"] }),
      limit: limitParameter(results_max).annotate({ description: `Number of results. Default: ${results_max}` }),
    },
    success: SearchResultsWire,
    errors: ["validation_failed"],
  }),
)
