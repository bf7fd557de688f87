// The menu of a blast: rename, duplicate, archive and delete, each where its status allows it.
import { ActionIcon, Menu } from "@mantine/core"
import type { Blast } from "@tentpole/client"
import { useNavigate } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { ArchiveIcon, CopyIcon, DotsIcon, EditIcon, TrashIcon } from "../Icons.tsx"
import { useWords } from "../words/Words.tsx"
import { can } from "./blast.ts"

const Confirm = lazy(async () => ({ default: (await import("../parts/Confirm.tsx")).Confirm }))
const RenameBlast = lazy(async () => ({ default: (await import("./NewBlast.tsx")).RenameBlast }))

const Questions = ({
  blast,
  onClose,
  open,
}: {
  readonly blast: Blast
  readonly open: "rename" | "archive" | "delete" | null
  readonly onClose: () => void
}) => {
  const words = useWords("blasts")
  const navigate = useNavigate()
  const params = { blastId: blast.blast_id }
  const archive = useMutationOf("blasts", "archive", { done: () => words.archived(blast.name), onDone: onClose })
  const remove = useMutationOf("blasts", "remove", {
    done: () => words.deleted(blast.name),
    onDone: () => navigate({ to: "/blasts" }),
  })
  switch (open) {
    case "rename":
      return <RenameBlast blast={blast} onClose={onClose} />
    case "archive":
      return (
        <Confirm
          title={words.archiveTitle(blast.name)}
          text={blast.status === "scheduled" ? words.archiveScheduled : words.archiveText}
          action={words.archiveAction}
          isDangerous={blast.status === "scheduled"}
          isPending={archive.isPending}
          error={archive.error}
          onClose={onClose}
          onConfirm={() => archive.mutate({ params })}
        />
      )
    case "delete":
      return (
        <Confirm
          title={words.deleteTitle(blast.name)}
          text={words.deleteText}
          action={words.deleteAction}
          typed={blast.name}
          isPending={remove.isPending}
          error={remove.error}
          onClose={onClose}
          onConfirm={() => remove.mutate({ params })}
        />
      )
    case null:
      return null
  }
}

export const BlastActions = ({ blast }: { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const shell = useWords("shell")
  const navigate = useNavigate()
  const [open, setOpen] = useState<"rename" | "archive" | "delete" | null>(null)
  const duplicate = useMutationOf("blasts", "duplicate", {
    done: ({ name }) => words.duplicated(name),
    onDone: ({ blast_id }) => navigate({ to: `/blasts/${blast_id}` }),
  })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={shell.more} loading={duplicate.isPending}>
            <DotsIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<EditIcon size={16} />} onClick={() => setOpen("rename")}>
            {words.rename}
          </Menu.Item>
          <Menu.Item
            leftSection={<CopyIcon size={16} />}
            onClick={() => duplicate.mutate({ params: { blastId: blast.blast_id } })}
          >
            {words.duplicate}
          </Menu.Item>
          {can("archive", blast) && (
            <Menu.Item leftSection={<ArchiveIcon size={16} />} onClick={() => setOpen("archive")}>
              {words.archive}
            </Menu.Item>
          )}
          {can("delete", blast) && (
            <Menu.Item leftSection={<TrashIcon size={16} />} c="red" onClick={() => setOpen("delete")}>
              {words.delete}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Suspense fallback={null}>
        <Questions blast={blast} open={open} onClose={() => setOpen(null)} />
      </Suspense>
    </>
  )
}
