// The settings of this workspace, which owners read and change.
import { useQuery } from "@tanstack/react-query"
import { adminQueryOf } from "../api/queries.ts"
import { useSession } from "../session.tsx"

/** The path parameters of calls of `/admin/v1` for this workspace. */
export const useWorkspaceParams = () => {
  const { workspace_id } = useSession().membership
  return { workspace_id }
}

export const useSettings = () => {
  const params = useWorkspaceParams()
  return useQuery(adminQueryOf("workspaces", "find", { params }))
}
