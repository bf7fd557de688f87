// The form of a new list, and of the name of an existing one.
import { Stack, TextInput, Textarea } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { ContactList, RuleGroup } from "@tentpole/client"
import { ApiError } from "@tentpole/client/Failures"
import { useNavigate } from "@tanstack/react-router"
import { useEffect } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { fieldErrors } from "../api/problems.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { FormFooter } from "../parts/dialogs/FormFooter.tsx"

const fields = ["name", "description"]

/** A taken name has no issue: its message belongs to the field. */
const errorsOf = (error: unknown) => {
  const { errors, rest } = fieldErrors(error, fields)
  const isTaken = error instanceof ApiError && error.code === "contact_list_name_exists"
  return { errors: isTaken ? { ...errors, name: error.message } : errors, rest }
}

interface FormProps {
  readonly title: string
  readonly action: string
  readonly first: { readonly name: string; readonly description: string }
  readonly isPending: boolean
  readonly error: unknown
  readonly onSubmit: (values: { name: string; description: string }) => void
  readonly onClose: () => void
  readonly call?: (values: { name: string; description: string }) => Parameters<typeof CurlButton>[0]["call"]
}

const ListForm = ({ action, call, error, first, isPending, onClose, onSubmit, title }: FormProps) => {
  const words = useWords("lists")
  const shell = useWords("shell")
  const form = useForm({ initialValues: { ...first } })
  const { setErrors } = form
  const { errors, rest } = errorsOf(error)
  useEffect(() => {
    setErrors(errorsOf(error).errors)
  }, [error, setErrors])
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": shell.close }}>
      <form onSubmit={form.onSubmit(onSubmit)}>
        <Stack>
          <TextInput label={words.name} required maxLength={200} data-autofocus {...form.getInputProps("name")} />
          <Textarea label={words.description} autosize minRows={2} {...form.getInputProps("description")} />
          {error !== null && Object.keys(errors).length === 0 && <Problem error={error} issues={rest} />}
          <FormFooter
            beside={call === undefined ? null : <CurlButton call={call(form.values)} />}
            action={action}
            isPending={isPending}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}

const payloadOf = ({ description, name }: { name: string; description: string }) => ({
  name: name.trim(),
  description: description.trim() === "" ? null : description.trim(),
})

interface Props {
  readonly onClose: () => void
}

export const NewList = ({ onClose, rules }: Props & { readonly rules?: RuleGroup }) => {
  const words = useWords("lists")
  const navigate = useNavigate()
  const create = useMutationOf("lists", "create", {
    done: ({ name }) => words.created(name),
    onDone: ({ list_id }) => navigate({ to: `/lists/${list_id}` }),
  })
  const content = rules === undefined ? ({ kind: "static" } as const) : ({ kind: "dynamic", rules } as const)
  return (
    <ListForm
      title={rules === undefined ? words.create : words.saveSegment}
      action={words.createAction}
      first={{ name: "", description: "" }}
      isPending={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(values) => create.mutate({ payload: { ...content, ...payloadOf(values) } })}
      call={(values) => ["lists", "create", { payload: { ...content, ...payloadOf(values) } }]}
    />
  )
}

export const EditList = ({ list, onClose }: Props & { readonly list: ContactList }) => {
  const words = useWords("lists")
  const shell = useWords("shell")
  const edit = useMutationOf("lists", "edit", { done: () => words.saved, onDone: onClose })
  return (
    <ListForm
      title={words.edit}
      action={shell.save}
      first={{ name: list.name, description: list.description ?? "" }}
      isPending={edit.isPending}
      error={edit.error}
      onClose={onClose}
      onSubmit={(values) => edit.mutate({ params: { listId: list.list_id }, payload: payloadOf(values) })}
    />
  )
}
