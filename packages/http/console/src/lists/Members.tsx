// The members of a list: search, order, and for a static list the ways to add and remove some.
import { Button, Group, Stack } from "@mantine/core"
import type { ContactList, ContactListMember } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { usePages } from "../api/rows.ts"
import { contactColumns } from "../contacts/columns.tsx"
import { nameOf } from "../contacts/person.ts"
import { contactSearch, sortedBy } from "../contacts/search.ts"
import { ContactsIcon, CopyIcon } from "../Icons.tsx"
import { DataTable } from "../parts/table/DataTable.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Problem } from "../parts/Problem.tsx"
import { SearchField } from "../parts/fields/SearchField.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { AddMember } from "./AddMember.tsx"

const PasteAddresses = lazy(async () => ({ default: (await import("./PasteAddresses.tsx")).PasteAddresses }))

const member_columns = ["email", "name", "status", "city", "created"]

/** Members of one request. */
const removal_max = 500

const Chosen = ({
  chosen,
  list,
  onNone,
}: {
  readonly list: ContactList
  readonly chosen: ReadonlyMap<string, ContactListMember>
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
          onClick={() =>
            remove.mutate({ params: { listId: list.list_id }, payload: { contact_ids: [...chosen.keys()] } })
          }
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

/** The ways into a static list: a contact that is found, addresses, and a file. */
const Additions = ({ list }: { readonly list: ContactList }) => {
  const words = useWords("lists")
  const [isPasting, setPasting] = useState(false)
  return (
    <>
      <AddMember list={list} />
      <Button variant="default" leftSection={<CopyIcon size={16} />} onClick={() => setPasting(true)}>
        {words.paste}
      </Button>
      <Suspense fallback={null}>
        {isPasting && <PasteAddresses list={list} onClose={() => setPasting(false)} />}
      </Suspense>
    </>
  )
}

export const Members = ({ list }: { readonly list: ContactList }) => {
  const words = useWords("lists")
  const columns = contactColumns(useWords("contacts")).filter(({ key }) => member_columns.includes(key))
  const { may } = useSession()
  const asked = useSearch({ from: "/lists/$listId" })
  const navigate = useNavigate({ from: "/lists/$listId" })
  const [chosen, setChosen] = useState<ReadonlyMap<string, ContactListMember>>(new Map())
  const rows = usePages("lists", "members", { params: { listId: list.list_id }, query: contactSearch({ ...asked }) })
  const mayChoose = list.kind === "static" && may("editor")
  const { search = "", sort, order = "desc" } = asked
  if (!rows.isPending && rows.error === null && rows.total === 0 && search === "") {
    return (
      <Empty
        icon={<ContactsIcon size={22} />}
        title={words.noMembers}
        text={list.kind === "static" ? words.noMembersStatic : words.noMembersDynamic}
      >
        {mayChoose && <Additions list={list} />}
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
        {mayChoose && <Additions list={list} />}
      </Group>
      <Chosen list={list} chosen={chosen} onNone={() => setChosen(new Map())} />
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
