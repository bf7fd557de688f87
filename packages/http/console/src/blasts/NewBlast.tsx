// The name of a new blast, and of an existing one. Audience, email and time follow in the wizard.
import { Stack, TextInput } from "@mantine/core"
import type { Blast } from "@tentpole/client"
import { useNavigate } from "@tanstack/react-router"
import { type SyntheticEvent, useState } from "react"
import type { CurlCall } from "../api/curl.ts"
import { useMutationOf } from "../api/mutations.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { FormFooter } from "../parts/dialogs/FormFooter.tsx"

interface FormProps {
  readonly title: string
  readonly action: string
  readonly first: string
  readonly isPending: boolean
  readonly error: unknown
  readonly onSubmit: (name: string) => void
  readonly onClose: () => void
  readonly call: (name: string) => CurlCall
}

const NameForm = ({ action, call, error, first, isPending, onClose, onSubmit, title }: FormProps) => {
  const words = useWords("blasts")
  const shell = useWords("shell")
  const [name, setName] = useState(first)
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    onSubmit(name.trim())
  }
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": shell.close }}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={words.name}
            description={words.nameText}
            required
            maxLength={200}
            data-autofocus
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          {error !== null && <Problem error={error} />}
          <FormFooter
            beside={<CurlButton call={call(name)} />}
            action={action}
            isPending={isPending}
            isReady={name.trim() !== ""}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}

interface Props {
  readonly onClose: () => void
}

export const NewBlast = ({ onClose }: Props) => {
  const words = useWords("blasts")
  const navigate = useNavigate()
  const create = useMutationOf("blasts", "create", {
    onDone: ({ blast_id }) => navigate({ to: `/blasts/${blast_id}` }),
  })
  return (
    <NameForm
      title={words.create}
      action={words.createAction}
      first=""
      isPending={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(name) => create.mutate({ payload: { name } })}
      call={(name) => ["blasts", "create", { payload: { name } }]}
    />
  )
}

export const RenameBlast = ({ blast, onClose }: Props & { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const shell = useWords("shell")
  const params = { blastId: blast.blast_id }
  const update = useMutationOf("blasts", "update", { done: () => words.saved, onDone: onClose })
  return (
    <NameForm
      title={words.rename}
      action={shell.save}
      first={blast.name}
      isPending={update.isPending}
      error={update.error}
      onClose={onClose}
      onSubmit={(name) => update.mutate({ params, payload: { name } })}
      call={(name) => ["blasts", "update", { params, payload: { name } }]}
    />
  )
}
