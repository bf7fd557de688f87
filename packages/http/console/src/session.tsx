// The signed-in person, their membership in this workspace, and the workspace, for all components.
import type { WorkspaceOverview } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { createContext, type ReactNode, useContext, useMemo } from "react"
import { slug } from "./api/client.ts"
import { queryOf } from "./api/queries.ts"
import { hasRole, type Membership, type Role, type Session } from "./api/session.ts"

interface Present {
  readonly session: Session
  readonly membership: Membership
  /** Undefined until it is loaded. */
  readonly workspace: WorkspaceOverview | undefined
  /** Whether the person may do what this role may do. */
  readonly may: (needs: Role) => boolean
  /** Whether the person operates the installation. */
  readonly isOperator: boolean
  /** Shows a session that changed: another name, or a new cookie. */
  readonly onSession: (session: Session) => void
}

const PresentContext = createContext<Present | null>(null)

/** Null where the person is not in the workspace of the address. */
export const membershipIn = ({ memberships }: Session): Membership | null =>
  memberships.find((each) => each.slug === slug) ?? null

interface Props extends Pick<Present, "session" | "membership" | "onSession"> {
  readonly children: ReactNode
}

const fresh_ms = 60_000

export const SessionProvider = ({ children, membership, onSession, session }: Props) => {
  const { data: workspace } = useQuery({ ...queryOf("workspace", "find"), staleTime: fresh_ms })
  const present = useMemo(
    () => ({
      session,
      membership,
      workspace,
      may: (needs: Role) => hasRole(membership.role, needs),
      isOperator: session.user.operator,
      onSession,
    }),
    [session, membership, workspace, onSession],
  )
  return <PresentContext value={present}>{children}</PresentContext>
}

export const useSession = (): Present => {
  const present = useContext(PresentContext)
  if (present === null) throw new Error("useSession is called outside of SessionProvider")
  return present
}

/** The time zone of the workspace: that of the browser until the workspace is loaded. */
export const useTimeZone = (): string =>
  useSession().workspace?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
