// The list of contacts: search, order, columns, choice of rows, and the way to a new one.
import { Button, Group } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useState } from "react"
import { usePages } from "../api/rows.ts"
import { ContactsIcon, PlusIcon } from "../Icons.tsx"
import { ColumnsButton, useColumns } from "../parts/table/Columns.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { DataTable } from "../parts/table/DataTable.tsx"
import { Empty } from "../parts/Empty.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { SearchField } from "../parts/fields/SearchField.tsx"
import { useSession } from "../session.tsx"
import { announce } from "../shell/Announcer.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords } from "../words/Words.tsx"
import { contactColumns, usual_columns } from "./columns.tsx"
import { nameOf } from "./person.ts"
import { type ContactSearch, sortedBy } from "./search.ts"

const ChosenContacts = lazy(async () => ({ default: (await import("./ChosenContacts.tsx")).ChosenContacts }))
const NewContact = lazy(async () => ({ default: (await import("./NewContact.tsx")).NewContact }))

const NewButton = ({ onClick }: { readonly onClick: () => void }) => {
  const words = useWords("contacts")
  return (
    <Button leftSection={<PlusIcon size={16} />} onClick={onClick}>
      {words.create}
    </Button>
  )
}

const example = { items: [{ email: "ann@example.org", first_name: "Ann", last_name: "Lee" }] }

export const ContactList = () => {
  const words = useWords("contacts")
  const { may } = useSession()
  const asked = useSearch({ from: "/contacts" })
  const navigate = useNavigate({ from: "/contacts" })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isCreating, setCreating] = useState(false)
  const { columns, setShown, shown } = useColumns("contacts", contactColumns(words), usual_columns)
  const rows = usePages("contacts", "list", { query: asked })
  const mayWrite = may("editor")
  const create = () => setCreating(true)
  useKeys(mayWrite ? { n: create } : {})
  const { isPending, total } = rows
  useEffect(() => {
    if (!isPending) announce(words.count(total))
  }, [isPending, total, words])
  const go = (search: ContactSearch) => void navigate({ search, replace: true })
  const { search = "", sort, order = "desc" } = asked
  const isEmpty = !isPending && total === 0 && search === "" && rows.error === null
  return (
    <>
      <PageHeader
        title={words.title}
        beside={isPending || isEmpty ? null : <span className="count">{words.number(total)}</span>}
        actions={
          <>
            <CurlButton call={["contacts", "list", { query: asked }]} />
            {mayWrite && <NewButton onClick={create} />}
          </>
        }
      />
      {isEmpty ? (
        <Empty icon={<ContactsIcon size={22} />} title={words.empty} text={words.emptyText}>
          {mayWrite && <NewButton onClick={create} />}
          <CurlButton call={["contacts", "create", { payload: example }]} />
        </Empty>
      ) : (
        <>
          <Group mb="sm" gap="xs">
            <SearchField
              label={words.search}
              value={search}
              onChange={(text) => {
                const { search: _, ...rest } = asked
                go(text === "" ? rest : { ...rest, search: text })
              }}
            />
            <ColumnsButton columns={contactColumns(words)} shown={shown} onShown={setShown} />
          </Group>
          <Suspense fallback={null}>
            {chosen.size > 0 && <ChosenContacts chosen={chosen} onNone={() => setChosen(new Set())} />}
          </Suspense>
          {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
          <DataTable
            label={words.title}
            rows={rows}
            columns={columns}
            keyOf={({ contact_id }) => contact_id}
            nameOf={nameOf}
            pathOf={({ contact_id }) => `/contacts/${contact_id}`}
            sort={{ by: sort ?? "created_at", order }}
            onSort={(next) => go(sortedBy(asked, next.by, next.order))}
            none={words.none}
            {...(mayWrite ? { chosen, onChosen: setChosen } : {})}
          />
        </>
      )}
      <Suspense fallback={null}>{isCreating && <NewContact onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
