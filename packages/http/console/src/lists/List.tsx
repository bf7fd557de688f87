// The screen of one list: its members, and for a static list the ways to add and remove some.
import { ActionIcon, Button, Group, Menu, Skeleton, Stack } from "@mantine/core"
import type { ContactList, ContactListMember } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { queryOf } from "../api/queries.ts"
import { usePages } from "../api/rows.ts"
import { contactColumns } from "../contacts/columns.tsx"
import { nameOf } from "../contacts/person.ts"
import { sortedBy } from "../contacts/search.ts"
import { ContactsIcon, DotsIcon, EditIcon, TrashIcon } from "../Icons.tsx"
import { BackLink } from "../parts/BackLink.tsx"
import { Confirm } from "../parts/Confirm.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { DataTable } from "../parts/table/DataTable.tsx"
import { Empty } from "../parts/Empty.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { SearchField } from "../parts/fields/SearchField.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { AddMember } from "./AddMember.tsx"
import { kindTones } from "./ListList.tsx"
import { EditList } from "./NewList.tsx"

const member_columns = ["email", "name", "status", "city", "created"]

const Actions = ({ list }: { readonly list: ContactList }) => {
  const words = useWords("lists")
  const shell = useWords("shell")
  const navigate = useNavigate()
  const [open, setOpen] = useState<"edit" | "delete" | null>(null)
  const remove = useMutationOf("lists", "remove", {
    done: () => words.deleted(list.name),
    onDone: () => navigate({ to: "/lists" }),
  })
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
      {open === "edit" && <EditList list={list} onClose={close} />}
      {open === "delete" && (
        <Confirm
          title={words.deleteTitle(list.name)}
          text={words.deleteText}
          action={words.deleteAction}
          typed={list.name}
          isPending={remove.isPending}
          error={remove.error}
          onClose={close}
          onConfirm={() => remove.mutate({ params: { listId: list.list_id } })}
        />
      )}
    </>
  )
}

/** Members of one request. */
const removal_max = 500

const Chosen = ({
  chosen,
  list,
  onNone,
}: {
  readonly list: ContactList
  readonly chosen: ReadonlySet<string>
  readonly onNone: () => void
}) => {
  const words = useWords("lists")
  const { table } = useWords("shell")
  const remove = useMutationOf("lists", "removeMembers", {
    done: () => words.removed(chosen.size),
    onDone: onNone,
  })
  if (chosen.size === 0) return null
  return (
    <Stack gap="xs" mb="sm">
      <Group gap="xs">
        <span role="status">{table.chosen(chosen.size)}</span>
        <Button
          size="compact-sm"
          variant="default"
          loading={remove.isPending}
          disabled={chosen.size > removal_max}
          onClick={() => remove.mutate({ params: { listId: list.list_id }, payload: { contact_ids: [...chosen] } })}
        >
          {words.remove}
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onNone}>
          {table.chooseNone}
        </Button>
      </Group>
      {remove.isError && <Problem error={remove.error} />}
    </Stack>
  )
}

const Members = ({ list }: { readonly list: ContactList }) => {
  const words = useWords("lists")
  const columns = contactColumns(useWords("contacts")).filter(({ key }) => member_columns.includes(key))
  const { may } = useSession()
  const asked = useSearch({ from: "/lists/$listId" })
  const navigate = useNavigate({ from: "/lists/$listId" })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const rows = usePages("lists", "members", { params: { listId: list.list_id }, query: asked })
  const mayChoose = list.kind === "static" && may("editor")
  const { search = "", sort, order = "desc" } = asked
  if (!rows.isPending && rows.error === null && rows.total === 0 && search === "") {
    return (
      <Empty
        icon={<ContactsIcon size={22} />}
        title={words.noMembers}
        text={list.kind === "static" ? words.noMembersStatic : words.noMembersDynamic}
      >
        {mayChoose && <AddMember list={list} />}
      </Empty>
    )
  }
  return (
    <>
      <Group mb="sm" gap="xs">
        <SearchField
          label={words.searchMembers}
          value={search}
          onChange={(text) => {
            const { search: _, ...rest } = asked
            void navigate({ search: text === "" ? rest : { ...rest, search: text }, replace: true })
          }}
        />
        {mayChoose && <AddMember list={list} />}
      </Group>
      <Chosen list={list} chosen={chosen} onNone={() => setChosen(new Set())} />
      {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
      <DataTable<ContactListMember>
        label={words.memberCount}
        rows={rows}
        columns={columns}
        keyOf={({ contact_id }) => contact_id}
        nameOf={nameOf}
        pathOf={({ contact_id }) => `/contacts/${contact_id}`}
        {...(sort === undefined ? {} : { sort: { by: sort, order } })}
        onSort={({ by, order: next }) => void navigate({ search: sortedBy(asked, by, next), replace: true })}
        none={words.noneFound}
        {...(mayChoose ? { chosen, onChosen: setChosen } : {})}
      />
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
            {list.kind !== "system" && may("editor") && <Actions list={list} />}
          </>
        }
      />
      <Members list={list} />
    </>
  )
}
