// Asks the AI for the next version of a page.
import { Stack, Text, Textarea } from "@mantine/core"
import type { Tent } from "@tentpole/client"
import { type SyntheticEvent, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { rememberRevision } from "../making/revision.ts"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"

const instruction_max = 10_000

interface Props {
  readonly tent: Tent
  readonly onClose: () => void
}

export const Revise = ({ onClose, tent }: Props) => {
  const words = useWords("tents")
  const shell = useWords("shell")
  const isPhone = useIsPhone()
  const [instruction, setInstruction] = useState("")
  const request = { params: { tentId: tent.id }, payload: { instruction: instruction.trim() } }
  const revise = useMutationOf("tents", "revise", {
    onDone: ({ generation_id }) => {
      rememberRevision(tent.id, generation_id)
      onClose()
    },
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    revise.mutate(request)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.askAi}
      fullScreen={isPhone}
      size="lg"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            label={words.change}
            description={words.changeText}
            placeholder={words.changeExample}
            autosize
            minRows={4}
            maxRows={12}
            maxLength={instruction_max}
            value={instruction}
            data-autofocus
            onChange={({ currentTarget }) => setInstruction(currentTarget.value)}
          />
          <Text size="xs" c="dimmed">
            {words.credit}
            {tent.generated_by === "sample" && ` ${words.sampleRevisions}`}
          </Text>
          {revise.isError && <Problem error={revise.error} />}
          <FormFooter
            beside={<CurlButton call={["tents", "revise", request]} />}
            action={words.changeAction}
            isPending={revise.isPending}
            isReady={instruction.trim() !== ""}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
