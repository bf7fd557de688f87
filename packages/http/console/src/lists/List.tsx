// The screen of one list: the rules of a dynamic list, the members, and its actions.
import { ActionIcon, Menu, SegmentedControl, Skeleton } from "@mantine/core"
import type { ContactList } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { queryOf } from "../api/queries.ts"
import { DotsIcon, EditIcon, TrashIcon } from "../Icons.tsx"
import { BackLink } from "../parts/BackLink.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { ExportMembers } from "./ExportMembers.tsx"
import { kindTones } from "./ListList.tsx"
import { Members } from "./Members.tsx"
import { UsedBy } from "./UsedBy.tsx"

const DeleteList = lazy(async () => ({ default: (await import("./DeleteList.tsx")).DeleteList }))
const EditList = lazy(async () => ({ default: (await import("./NewList.tsx")).EditList }))
const ListRules = lazy(async () => ({ default: (await import("./ListRules.tsx")).ListRules }))

const Actions = ({ list }: { readonly list: ContactList }) => {
  const words = useWords("lists")
  const shell = useWords("shell")
  const [open, setOpen] = useState<"edit" | "delete" | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={shell.more}>
            <DotsIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<EditIcon size={16} />} onClick={() => setOpen("edit")}>
            {words.edit}
          </Menu.Item>
          <Menu.Item leftSection={<TrashIcon size={16} />} c="red" onClick={() => setOpen("delete")}>
            {words.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense fallback={null}>
        {open === "edit" && <EditList list={list} onClose={close} />}
        {open === "delete" && <DeleteList list={list} onClose={close} />}
      </Suspense>
    </>
  )
}

/** A dynamic list has two sides: who is in it, and why. */
const Views = ({ view }: { readonly view: "members" | "rules" }) => {
  const words = useWords("lists")
  const navigate = useNavigate({ from: "/lists/$listId" })
  return (
    <SegmentedControl
      size="xs"
      mb="md"
      aria-label={words.list}
      value={view}
      data={[
        { value: "rules", label: words.rules },
        { value: "members", label: words.memberCount },
      ]}
      onChange={(next) =>
        void navigate({ search: (before) => ({ ...before, view: next === "members" ? "members" : "rules" }) })
      }
    />
  )
}

const Content = ({ list }: { readonly list: ContactList }) => {
  const { view = "rules" } = useSearch({ from: "/lists/$listId" })
  if (list.kind !== "dynamic") return <Members list={list} />
  return (
    <>
      <Views view={view} />
      {view === "members" ? (
        <Members list={list} />
      ) : (
        <Suspense fallback={<Skeleton className="late" h={320} radius="lg" />}>
          <ListRules list={list} />
        </Suspense>
      )}
    </>
  )
}

export const List = () => {
  const words = useWords("lists")
  const { may } = useSession()
  const { listId } = useParams({ from: "/lists/$listId" })
  const params = { listId }
  const found = useQuery(queryOf("lists", "find", { params }))
  const count = useQuery(queryOf("lists", "memberCount", { params }))
  const back = <BackLink to="/lists" label={words.title} />
  if (found.isPending) return <Skeleton className="late" h={320} radius="lg" />
  if (found.isError) {
    return (
      <>
        <PageHeader above={back} title={words.list} />
        <Problem error={found.error} onRetry={found.refetch} />
      </>
    )
  }
  const list = found.data
  return (
    <>
      <PageHeader
        above={back}
        title={list.name}
        beside={<StatusBadge tone={kindTones[list.kind]} label={words.kinds[list.kind]} />}
        text={[
          ...(count.data === undefined ? [] : [words.members(count.data.member_count)]),
          ...(list.description === null ? [] : [list.description]),
        ].join(" · ")}
        actions={
          <>
            <CurlButton call={["lists", "members", { params }]} />
            {may("editor") && <ExportMembers list={list} />}
            {list.kind !== "system" && may("editor") && <Actions list={list} />}
          </>
        }
      />
      {list.kind !== "system" && <UsedBy listId={listId} />}
      <Content list={list} />
    </>
  )
}
