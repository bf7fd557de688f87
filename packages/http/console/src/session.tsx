// The signed-in person and their membership in this workspace, for all components.
import { createContext, type ReactNode, useContext, useMemo } from "react"
import { slug } from "./api/client.ts"
import { hasRole, type Membership, type Role, type Session } from "./api/session.ts"

interface Present {
  readonly session: Session
  readonly membership: Membership
  /** Whether the person may do what this role may do. */
  readonly may: (needs: Role) => boolean
}

const PresentContext = createContext<Present | null>(null)

/** Null where the person is not in the workspace of the address. */
export const membershipIn = ({ memberships }: Session): Membership | null =>
  memberships.find((each) => each.slug === slug) ?? null

interface Props {
  readonly session: Session
  readonly membership: Membership
  readonly children: ReactNode
}

export const SessionProvider = ({ children, membership, session }: Props) => {
  const present = useMemo(
    () => ({ session, membership, may: (needs: Role) => hasRole(membership.role, needs) }),
    [session, membership],
  )
  return <PresentContext value={present}>{children}</PresentContext>
}

/** The time zone of the workspace: that of the browser until the workspace has one. */
export const useTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const useSession = (): Present => {
  const present = useContext(PresentContext)
  if (present === null) throw new Error("useSession is called outside of SessionProvider")
  return present
}
