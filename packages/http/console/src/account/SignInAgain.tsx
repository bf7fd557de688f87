// The sign-in above a page whose session ended. Calls wait for it and go on, so that nothing of the page is lost.
import { lazy, Suspense, useEffect, useState } from "react"
import { onSessionEnd } from "../api/client.ts"
import type { Session } from "../api/session.ts"

const SignInDialog = lazy(async () => ({ default: (await import("./SignInDialog.tsx")).SignInDialog }))

interface Waiting {
  readonly reason: "ended" | "again"
  readonly goOn: () => void
}

interface Props {
  readonly session: Session
}

export const SignInAgain = ({ session }: Props) => {
  const [waiting, setWaiting] = useState<Waiting | null>(null)
  useEffect(() => {
    onSessionEnd(
      (reason) =>
        new Promise((resolve) => {
          setWaiting({ reason, goOn: resolve })
        }),
    )
  }, [])
  if (waiting === null) return null
  const goOn = (next: Session) => {
    if (next.user.user_id !== session.user.user_id) location.reload()
    setWaiting(null)
    waiting.goOn()
  }
  return (
    <Suspense fallback={null}>
      <SignInDialog reason={waiting.reason} email={session.user.email} onSession={goOn} />
    </Suspense>
  )
}
