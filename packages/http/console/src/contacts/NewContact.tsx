// The form of a new contact.
import { Button, SimpleGrid, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../parts/phone.ts"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { FormFooter } from "../parts/dialogs/FormFooter.tsx"

const empty = { email: "", first_name: "", last_name: "", phone: "", company: "", city: "" }

const fields = ["email", "first_name", "last_name", "phone", "company", "city"] as const

/** The field that a refusal is about. */
const fieldOf = (code: string): keyof typeof empty => (code.includes("phone") ? "phone" : "email")

/** Empty fields are omitted. */
const itemOf = (values: typeof empty) =>
  Object.fromEntries(fields.flatMap((name) => (values[name].trim() === "" ? [] : [[name, values[name].trim()]])))

interface Props {
  readonly onClose: () => void
}

export const NewContact = ({ onClose }: Props) => {
  const words = useWords("contacts")
  const shell = useWords("shell")
  const navigate = useNavigate()
  const isPhone = useIsPhone()
  const form = useForm({ initialValues: empty })
  const [existing, setExisting] = useState<string | null>(null)
  const create = useMutationOf("contacts", "create", {
    done: ({ created_count }) => (created_count > 0 ? words.createdNow : null),
    onDone: ({ items: [item] }) => {
      if (item === undefined) return
      if (item.status === "rejected") {
        setExisting(item.existing_contact?.contact_id ?? null)
        form.setFieldError(fieldOf(item.error_code), item.message)
        return
      }
      onClose()
      void navigate({ to: `/contacts/${item.contact_id}` })
    },
  })
  const payload = { items: [itemOf(form.values)] }
  const submit = form.onSubmit(() => create.mutate({ payload }))
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.create}
      fullScreen={isPhone}
      size="lg"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="sm">
            {fields.map((name) => (
              <TextInput
                key={name}
                label={words.fields[name]}
                type={name === "email" ? "email" : name === "phone" ? "tel" : "text"}
                data-autofocus={name === "email" || undefined}
                {...form.getInputProps(name)}
              />
            ))}
          </SimpleGrid>
          {existing !== null && (
            <Button variant="subtle" size="compact-sm" onClick={() => void navigate({ to: `/contacts/${existing}` })}>
              {words.openExisting}
            </Button>
          )}
          {create.isError && <Problem error={create.error} />}
          <FormFooter
            beside={<CurlButton call={["contacts", "create", { payload }]} />}
            action={words.createAction}
            isPending={create.isPending}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
