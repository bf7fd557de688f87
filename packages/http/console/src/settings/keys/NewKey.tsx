// A new API key: its name, role and end, then the key itself, which is shown once, with a call that works.
import { Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { Admin } from "@tentpole/client"
import { useEffect } from "react"
import { curlOf } from "../../api/curl.ts"
import { useAdminMutationOf } from "../../api/mutations.ts"
import { fieldErrors } from "../../api/problems.ts"
import type { Role } from "../../api/session.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { ShownOnce } from "../../parts/dialogs/ShownOnce.tsx"
import { useWords } from "../../words/Words.tsx"
import { RoleField } from "../RoleField.tsx"
import { useWorkspaceParams } from "../useSettings.ts"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"

interface Props {
  readonly onClose: () => void
}

interface Values {
  readonly name: string
  readonly role: Role
  /** A day; empty: the key has no end. */
  readonly expires: string
}

const names = ["name", "expires"]
const nameOf = (path: string): string => (path === "expires_at" ? "expires" : path)

const payloadOf = ({ expires, name, role }: Values): Admin.CreateApiKey => ({
  name: name.trim(),
  role,
  ...(expires === "" ? {} : { expires_at: `${expires}T23:59:59Z` }),
})

const Created = ({ created, onClose }: Props & { readonly created: Admin.NewApiKey }) => {
  const words = useWords("settings").keys
  const shell = useWords("shell")
  const curl = curlOf(["workspace", "find"]).replace("$TENTPOLE_API_KEY", created.api_key)
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.created(created.name)}
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <Stack>
        <Text size="sm">{words.createdText}</Text>
        <ShownOnce label={words.key} value={created.api_key} />
        <ShownOnce label={words.try} value={curl} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{shell.done}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

export const NewKey = ({ onClose }: Props) => {
  const words = useWords("settings").keys
  const shell = useWords("shell")
  const params = useWorkspaceParams()
  const form = useForm<Values>({ initialValues: { name: "", role: "editor", expires: "" } })
  const create = useAdminMutationOf("keys", "create")
  const { setErrors } = form
  const { errors, rest } = fieldErrors(create.error, names, nameOf)
  useEffect(() => {
    setErrors(fieldErrors(create.error, names, nameOf).errors)
  }, [create.error, setErrors])
  if (create.data !== undefined) return <Created created={create.data} onClose={onClose} />
  const payload = payloadOf(form.values)
  return (
    <Modal opened onClose={onClose} title={words.createTitle} closeButtonProps={{ "aria-label": shell.close }}>
      <form onSubmit={form.onSubmit(() => create.mutate({ params, payload }))}>
        <Stack>
          <TextInput
            label={words.name}
            description={words.nameText}
            required
            maxLength={200}
            data-autofocus
            {...form.getInputProps("name")}
          />
          <RoleField
            label={words.role}
            value={form.values.role}
            onChange={(role) => form.setFieldValue("role", role)}
          />
          <TextInput
            type="date"
            label={words.expires}
            description={words.expiresText}
            {...form.getInputProps("expires")}
          />
          {create.isError && Object.keys(errors).length === 0 && <Problem error={create.error} issues={rest} />}
          <FormFooter
            beside={<CurlButton call={["admin.keys", "create", { params, payload }]} />}
            action={words.createAction}
            isPending={create.isPending}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
