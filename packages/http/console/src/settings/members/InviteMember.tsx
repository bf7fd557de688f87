// The invitation of a person: an address and a role, then the link, which is shown once.
import { Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useEffect } from "react"
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
  /** Default: this workspace. */
  readonly workspace?: { readonly workspace_id: string }
  readonly onClose: () => void
}

export const InviteMember = ({ onClose, workspace }: Props) => {
  const words = useWords("settings").members
  const shell = useWords("shell")
  const own = useWorkspaceParams()
  const params = { workspace_id: workspace?.workspace_id ?? own.workspace_id }
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: "", role: workspace === undefined ? "editor" : "owner" },
  })
  const invite = useAdminMutationOf("invitations", "create")
  const { setErrors } = form
  const { errors, rest } = fieldErrors(invite.error, ["email"])
  useEffect(() => {
    setErrors(fieldErrors(invite.error, ["email"]).errors)
  }, [invite.error, setErrors])
  const payload = { email: form.values.email.trim(), role: form.values.role }
  if (invite.data !== undefined) {
    return (
      <Modal
        opened
        onClose={onClose}
        title={words.invited(invite.data.email)}
        closeOnClickOutside={false}
        closeButtonProps={{ "aria-label": shell.close }}
      >
        <Stack>
          <Text size="sm">{words.invitedText}</Text>
          <ShownOnce label={words.link} value={invite.data.url} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{shell.done}</Button>
          </Group>
        </Stack>
      </Modal>
    )
  }
  return (
    <Modal opened onClose={onClose} title={words.inviteTitle} closeButtonProps={{ "aria-label": shell.close }}>
      <form onSubmit={form.onSubmit(() => invite.mutate({ params, payload }))}>
        <Stack>
          <TextInput label={words.email} type="email" required data-autofocus {...form.getInputProps("email")} />
          <RoleField
            label={words.role}
            value={form.values.role}
            onChange={(role) => form.setFieldValue("role", role)}
          />
          {invite.isError && Object.keys(errors).length === 0 && <Problem error={invite.error} issues={rest} />}
          <FormFooter
            beside={<CurlButton call={["admin.invitations", "create", { params, payload }]} />}
            action={words.inviteAction}
            isPending={invite.isPending}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
