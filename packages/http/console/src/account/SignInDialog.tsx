// The dialog of the sign-in above a page. It can't be closed: the calls of the page wait for it.
import { Text } from "@mantine/core"
import type { Session } from "../api/session.ts"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { useWords } from "../words/Words.tsx"
import { SignInForm } from "./signIn/SignInForm.tsx"

interface Props {
  readonly reason: "ended" | "again"
  readonly email: string
  readonly onSession: (session: Session) => void
}

export const SignInDialog = ({ email, onSession, reason }: Props) => {
  const words = useWords("account")
  const isEnded = reason === "ended"
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
      <SignInForm email={email} onSession={onSession} />
    </Modal>
  )
}
