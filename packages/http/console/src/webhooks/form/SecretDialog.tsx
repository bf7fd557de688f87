// The secret of an endpoint, which is shown once, and the program that checks signatures with it.
import { Button, Group, Stack, Text } from "@mantine/core"
import type { ReactNode } from "react"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { ShownOnce } from "../../parts/dialogs/ShownOnce.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { useWords } from "../../words/Words.tsx"
import { verification } from "./verification.ts"

interface Props {
  readonly title: string
  readonly secret: string
  /** Above the secret: what happens to the one before. */
  readonly children?: ReactNode
  readonly onClose: () => void
}

export const SecretDialog = ({ children, onClose, secret, title }: Props) => {
  const words = useWords("webhooks")
  const shell = useWords("shell")
  const isPhone = useIsPhone()
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      fullScreen={isPhone}
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <Stack>
        <Text size="sm">{words.secretText}</Text>
        {children}
        <ShownOnce label={words.secret} value={secret} />
        <ShownOnce label={words.verify} value={verification} />
        <Text size="xs" c="dimmed">
          {words.verifyText}
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>{shell.done}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
