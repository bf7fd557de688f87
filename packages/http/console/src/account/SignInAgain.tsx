// The sign-in above a page whose session ended. Calls wait for it and go on, so that nothing of the page is lost.
import { Modal, Text } from "@mantine/core"
import { useEffect, useState } from "react"
import { onSessionEnd } from "../api/client.ts"
import type { Session } from "../api/session.ts"
import { useWords } from "../words/Words.tsx"
import { PasswordForm } from "./SignIn.tsx"

interface Waiting {
  readonly reason: "ended" | "again"
  readonly goOn: () => void
}

interface Props {
  readonly session: Session
}

export const SignInAgain = ({ session }: Props) => {
  const words = useWords("account")
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
  const isEnded = waiting.reason === "ended"
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={isEnded ? words.ended : words.again}
    >
      <Text size="sm" c="dimmed" mb="md">
        {isEnded ? words.endedText : words.againText}
      </Text>
      <PasswordForm email={session.user.email} onSession={goOn} />
    </Modal>
  )
}
