// Names of workspaces by their ids, for lists of the whole installation.
import { useQuery } from "@tanstack/react-query"
import { adminQueryOf } from "../api/queries.ts"
import { useSession } from "../session.tsx"

/** The newest workspaces. Others are shown by their ids. */
const workspaces_max = 100

/** The name of a workspace; its id for one that is unknown or deleted. */
export const useWorkspaceNames = (): ((id: string) => string) => {
  const { isOperator, session } = useSession()
  const query = { limit: workspaces_max }
  const { data } = useQuery({ ...adminQueryOf("workspaces", "list", { query }), enabled: isOperator })
  const names = new Map([
    ...session.memberships.map(({ name, workspace_id }) => [workspace_id, name] as const),
    ...(data?.workspaces ?? []).map(({ name, workspace_id }) => [workspace_id, name] as const),
  ])
  return (id) => names.get(id) ?? id
}
