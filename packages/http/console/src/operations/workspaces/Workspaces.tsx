// The workspaces of the installation: plan, credits, and the ways to make, change and delete one. For operators.
import { Button } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { lazy, Suspense, useState } from "react"
import { useAdminMutationOf } from "../../api/mutations.ts"
import { useAdminCursor } from "../../api/rows.ts"
import { useFormat } from "../../format.ts"
import { BlocksIcon, EditIcon, PlusIcon, TrashIcon, UserIcon } from "../../Icons.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import type { Column } from "../../parts/table/DataTable.tsx"
import { Listing } from "../../parts/table/Listing.tsx"
import { RowMenu } from "../../parts/table/RowMenu.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"

const NewWorkspace = lazy(async () => ({ default: (await import("./WorkspaceForm.tsx")).NewWorkspace }))
const EditWorkspace = lazy(async () => ({ default: (await import("./WorkspaceForm.tsx")).EditWorkspace }))
const InviteMember = lazy(async () => ({
  default: (await import("../../settings/members/InviteMember.tsx")).InviteMember,
}))

type Workspace = Admin.Workspace

const useColumns = (): ReadonlyArray<Column<Workspace>> => {
  const words = useWords("operations").workspaces
  const { number } = useFormat()
  const { memberships } = useSession().session
  return [
    {
      key: "name",
      label: words.name,
      width: "minmax(10rem, 2fr)",
      // Another workspace is another page.
      cell: ({ name, slug, workspace_id }) =>
        memberships.some((each) => each.workspace_id === workspace_id) ? (
          <a className="row-link" href={`/w/${slug}/home`}>
            {name}
          </a>
        ) : (
          name
        ),
    },
    { key: "slug", label: words.slug, width: "minmax(8rem, 1fr)", isOnPhone: true, cell: ({ slug }) => slug },
    { key: "plan", label: words.plan, width: "7rem", isOnPhone: true, cell: ({ plan }) => words.plans[plan] },
    {
      key: "credits",
      label: words.credits,
      width: "7rem",
      isNumber: true,
      cell: ({ credits }) => number(credits),
    },
    {
      key: "created",
      label: words.created,
      width: "8rem",
      cell: ({ created_at }) => <Time at={created_at} as="date" />,
    },
  ]
}

interface Asked {
  readonly workspace: Workspace
  readonly onClose: () => void
}

const DeleteWorkspace = ({ onClose, workspace: { name, slug, workspace_id } }: Asked) => {
  const words = useWords("operations").workspaces
  const { membership } = useSession()
  const remove = useAdminMutationOf("workspaces", "remove", {
    done: () => words.deleted(name),
    onDone: () => (workspace_id === membership.workspace_id ? location.assign("/") : onClose()),
  })
  return (
    <Confirm
      title={words.deleteTitle(name)}
      text={words.deleteText}
      action={words.deleteAction}
      typed={slug}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { workspace_id }, query: { confirm: slug } })}
      onClose={onClose}
    />
  )
}

type Action = "edit" | "invite" | "delete"

const dialogs = { edit: EditWorkspace, invite: InviteMember, delete: DeleteWorkspace } as const

interface ActionsProps {
  readonly workspace: Workspace
  readonly onAction: (action: Action) => void
}

const Actions = ({ onAction, workspace }: ActionsProps) => {
  const words = useWords("operations").workspaces
  return (
    <RowMenu
      of={workspace.name}
      items={[
        { label: words.edit, icon: <EditIcon size={16} />, onClick: () => onAction("edit") },
        { label: words.invite, icon: <UserIcon size={16} />, onClick: () => onAction("invite") },
        { label: words.delete, icon: <TrashIcon size={16} />, onClick: () => onAction("delete") },
      ]}
    />
  )
}

export const Workspaces = () => {
  const words = useWords("operations").workspaces
  const [isCreating, setCreating] = useState(false)
  const [asked, setAsked] = useState<{ readonly action: Action; readonly workspace: Workspace } | null>(null)
  const columns = useColumns()
  const close = () => setAsked(null)
  const create = () => setCreating(true)
  const Dialog = asked === null ? null : dialogs[asked.action]
  return (
    <>
      <Listing
        label={words.title}
        text={words.text}
        rows={useAdminCursor("workspaces", "list", { query: {} })}
        columns={columns}
        keyOf={({ workspace_id }) => workspace_id}
        nameOf={({ name }) => name}
        isFiltered={false}
        empty={{ icon: <BlocksIcon size={22} />, title: words.empty, text: words.text }}
        additions={
          <Button leftSection={<PlusIcon size={16} />} onClick={create}>
            {words.create}
          </Button>
        }
        onNew={create}
        curl={<CurlButton call={["admin.workspaces", "list"]} />}
        filters={null}
        actions={(workspace) => (
          <Actions workspace={workspace} onAction={(action) => setAsked({ action, workspace })} />
        )}
      />
      <Suspense fallback={null}>
        {isCreating && (
          <NewWorkspace
            onClose={() => setCreating(false)}
            onCreated={(workspace) => {
              setCreating(false)
              setAsked({ action: "invite", workspace })
            }}
          />
        )}
        {asked !== null && Dialog !== null && <Dialog workspace={asked.workspace} onClose={close} />}
      </Suspense>
    </>
  )
}
