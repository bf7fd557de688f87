// The menu of a contact: all of its data as a file, its merge with another one, deletion, and erasure.
import { ActionIcon, Menu } from "@mantine/core"
import type { Contact } from "@tentpole/client"
import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { admin } from "../../api/client.ts"
import { useAdminMutationOf, useMutationOf } from "../../api/mutations.ts"
import { ContactsIcon, DotsIcon, DownloadIcon, ShieldIcon, TrashIcon } from "../../Icons.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { saveFile } from "../../saveFile.ts"
import { useSession } from "../../session.tsx"
import { useWorkspaceParams } from "../../settings/useSettings.ts"
import { useWords } from "../../words/Words.tsx"
import { MergeDialog } from "../merge/MergeDialog.tsx"
import { addressOf } from "../person.ts"

interface DialogProps {
  readonly contact: Contact
  readonly onClose: () => void
}

const DeletePerson = ({ contact, onClose }: DialogProps) => {
  const words = useWords("contacts")
  const navigate = useNavigate()
  const remove = useMutationOf("contacts", "deleteOne", {
    done: () => words.deleted(1),
    onDone: () => navigate({ to: "/contacts" }),
  })
  return (
    <Confirm
      title={words.deleteTitle(1)}
      text={words.deleteText}
      action={words.deleteAction}
      typed={addressOf(contact)}
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { contact_id: contact.contact_id } })}
    />
  )
}

const ErasePerson = ({ contact, onClose }: DialogProps) => {
  const words = useWords("contacts")
  const navigate = useNavigate()
  const params = { ...useWorkspaceParams(), contact_id: contact.contact_id }
  const erase = useAdminMutationOf("contacts", "erase", {
    done: () => words.erased,
    onDone: () => navigate({ to: "/contacts" }),
  })
  return (
    <Confirm
      title={words.eraseTitle}
      text={words.eraseText}
      action={words.eraseAction}
      typed={addressOf(contact)}
      isPending={erase.isPending}
      error={erase.error}
      onClose={onClose}
      onConfirm={() => erase.mutate({ params })}
    />
  )
}

export const PersonMenu = ({ contact }: { readonly contact: Contact }) => {
  const words = useWords("contacts")
  const { more } = useWords("shell")
  const { may } = useSession()
  const [open, setOpen] = useState<"merge" | "delete" | "erase" | null>(null)
  const params = { ...useWorkspaceParams(), contact_id: contact.contact_id }
  const save = useMutation({
    mutationFn: () => admin.contacts.export({ params }),
    onSuccess: (data) =>
      saveFile(`contact-${contact.contact_id}.json`, "application/json", JSON.stringify(data, null, 2)),
  })
  const close = () => setOpen(null)
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={more} loading={save.isPending}>
            <DotsIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {may("owner") && (
            <Menu.Item leftSection={<DownloadIcon size={16} />} onClick={() => save.mutate()}>
              {words.saveData}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<ContactsIcon size={16} />} onClick={() => setOpen("merge")}>
            {words.merge.menu}
          </Menu.Item>
          <Menu.Item leftSection={<TrashIcon size={16} />} c="red" onClick={() => setOpen("delete")}>
            {words.deleteThese}
          </Menu.Item>
          {may("owner") && (
            <Menu.Item leftSection={<ShieldIcon size={16} />} c="red" onClick={() => setOpen("erase")}>
              {words.erase}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {save.isError && <Problem error={save.error} onRetry={() => save.mutate()} />}
      {open === "merge" && <MergeDialog contact={contact} otherId={null} onClose={close} />}
      {open === "delete" && <DeletePerson contact={contact} onClose={close} />}
      {open === "erase" && <ErasePerson contact={contact} onClose={close} />}
    </>
  )
}
