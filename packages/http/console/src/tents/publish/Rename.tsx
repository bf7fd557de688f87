// The name of a page, which only the team sees.
import { Stack, TextInput } from "@mantine/core"
import type { Tent } from "@tentpole/client"
import { type SyntheticEvent, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"

const name_max = 200

interface Props {
  readonly tent: Tent
  readonly onClose: () => void
}

export const Rename = ({ onClose, tent }: Props) => {
  const words = useWords("tents")
  const shell = useWords("shell")
  const [name, setName] = useState(tent.name)
  const update = useMutationOf("tents", "update", { done: () => words.renamed, onDone: onClose })
  const request = { params: { tentId: tent.id }, payload: { name: name.trim() } }
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    update.mutate(request)
  }
  return (
    <Modal opened onClose={onClose} title={words.rename} closeButtonProps={{ "aria-label": shell.close }}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={words.name}
            description={words.nameText}
            required
            maxLength={name_max}
            data-autofocus
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          {update.isError && <Problem error={update.error} />}
          <FormFooter
            beside={<CurlButton call={["tents", "update", request]} />}
            action={shell.save}
            isPending={update.isPending}
            isReady={name.trim() !== ""}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
