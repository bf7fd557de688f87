// Asks the AI for the next version.
import { Stack, Text, Textarea } from "@mantine/core"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Kind, Written } from "../written.ts"
import { paramsOf } from "./calls.ts"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"

interface Props {
  readonly kind: Kind
  readonly written: Written
  readonly onClose: () => void
}

export const AskAi = ({ kind, onClose, written }: Props) => {
  const words = useWords("emails")
  const shell = useWords("shell")
  const isPhone = useIsPhone()
  const [prompt, setPrompt] = useState("")
  const generate = useMutationOf(kind, "generate", { onDone: onClose })
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.askAi}
      fullScreen={isPhone}
      size="lg"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          generate.mutate({ params: paramsOf(written.id), payload: { prompt } })
        }}
      >
        <Stack>
          <Textarea
            label={words.change}
            description={words.changeText}
            placeholder={words.changeExample}
            autosize
            minRows={4}
            maxRows={12}
            maxLength={10_000}
            value={prompt}
            data-autofocus
            onChange={({ currentTarget }) => setPrompt(currentTarget.value)}
          />
          {generate.isError && <Problem error={generate.error} />}
          <FormFooter
            beside={
              <Text size="xs" c="dimmed">
                {words.credit}
              </Text>
            }
            action={words.writeAction}
            isPending={generate.isPending}
            isReady={prompt.trim() !== ""}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
