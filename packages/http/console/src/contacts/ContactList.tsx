// The list of contacts: search, order, columns, choice of rows, and the way to a new one.
import { Button, Group } from "@mantine/core"
import type { ListedContact } from "@tentpole/client"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useState } from "react"
import type { CurlCall } from "../api/curl.ts"
import { queryOf } from "../api/queries.ts"
import { type Rows, usePagesBy } from "../api/rows.ts"
import { ContactsIcon, FilterIcon, ImportsIcon, PlusIcon } from "../Icons.tsx"
import { ColumnsButton, useColumns } from "../parts/table/Columns.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { DataTable } from "../parts/table/DataTable.tsx"
import { Empty } from "../parts/Empty.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { SearchField } from "../parts/fields/SearchField.tsx"
import type { ContactListSearch } from "../segments/search.ts"
import { useSession } from "../session.tsx"
import { announce } from "../shell/Announcer.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords } from "../words/Words.tsx"
import { contactColumns, usual_columns } from "./columns.tsx"
import { nameOf } from "./person.ts"
import { sortedBy } from "./search.ts"

const FilterBar = lazy(async () => ({ default: (await import("../segments/filters/FilterBar.tsx")).FilterBar }))
const ChosenContacts = lazy(async () => ({ default: (await import("./ChosenContacts.tsx")).ChosenContacts }))
const NewContact = lazy(async () => ({ default: (await import("./NewContact.tsx")).NewContact }))

const ImportButton = () => {
  const words = useWords("contacts")
  return (
    <Button component={Link} to="/imports/new" variant="default" leftSection={<ImportsIcon size={16} />}>
      {words.import}
    </Button>
  )
}

const NewButton = ({ onClick }: { readonly onClick: () => void }) => {
  const words = useWords("contacts")
  return (
    <Button leftSection={<PlusIcon size={16} />} onClick={onClick}>
      {words.create}
    </Button>
  )
}

const example = { items: [{ email: "ann@example.org", first_name: "Ann", last_name: "Lee" }] }

/** Contacts that match a search and, with a filter, its rules. */
const useRows = ({ rules, ...query }: ContactListSearch): Rows<ListedContact> =>
  usePagesBy((page, limit) =>
    rules === undefined
      ? queryOf("contacts", "list", { query: { ...query, page, limit } })
      : queryOf("segments", "search", { payload: { ...query, rules, page, limit } }),
  )

const curlCall = ({ rules, ...query }: ContactListSearch): CurlCall =>
  rules === undefined ? ["contacts", "list", { query }] : ["segments", "search", { payload: { ...query, rules } }]

const Head = ({
  asked,
  count,
  onCreate,
}: { readonly asked: ContactListSearch; readonly count: string | null } & {
  readonly onCreate: (() => void) | null
}) => {
  const words = useWords("contacts")
  return (
    <PageHeader
      title={words.title}
      beside={count !== null && <span className="count">{count}</span>}
      actions={
        <>
          <CurlButton call={curlCall(asked)} />
          {onCreate !== null && (
            <>
              <ImportButton />
              <NewButton onClick={onCreate} />
            </>
          )}
        </>
      }
    />
  )
}

interface TableProps {
  readonly asked: ContactListSearch
  readonly rows: Rows<ListedContact>
  readonly onSearch: (search: ContactListSearch) => void
}

/** Search, filters and columns above the rows. */
const Table = ({ asked, onSearch, rows }: TableProps) => {
  const words = useWords("contacts")
  const { may } = useSession()
  const [chosen, setChosen] = useState<ReadonlyMap<string, ListedContact>>(new Map())
  const [isFiltering, setFiltering] = useState(false)
  const { columns, setShown, shown } = useColumns("contacts", contactColumns(words), usual_columns)
  const { order = "desc", rules, search = "", sort } = asked
  return (
    <>
      <Group mb="sm" gap="xs">
        <SearchField
          label={words.search}
          value={search}
          onChange={(text) => {
            const { search: _, ...rest } = asked
            onSearch(text === "" ? rest : { ...rest, search: text })
          }}
        />
        <Button
          variant="default"
          leftSection={<FilterIcon size={16} />}
          aria-expanded={isFiltering}
          onClick={() => setFiltering(!isFiltering)}
        >
          {words.filter}
        </Button>
        <ColumnsButton columns={contactColumns(words)} shown={shown} onShown={setShown} />
      </Group>
      <Suspense fallback={null}>
        {(rules !== undefined || isFiltering) && (
          <FilterBar
            rules={rules ?? null}
            isOpen={isFiltering}
            onOpen={setFiltering}
            onRules={(next) => {
              const { rules: _, ...rest } = asked
              onSearch(next === null ? rest : { ...rest, rules: next })
            }}
          />
        )}
      </Suspense>
      <Suspense fallback={null}>
        {chosen.size > 0 && <ChosenContacts chosen={chosen} onNone={() => setChosen(new Map())} />}
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
        onSort={(next) => onSearch({ ...asked, ...sortedBy(asked, next.by, next.order) })}
        none={words.none}
        {...(may("editor") ? { chosen, onChosen: setChosen } : {})}
      />
    </>
  )
}

export const ContactList = () => {
  const words = useWords("contacts")
  const { may } = useSession()
  const asked = useSearch({ from: "/contacts" })
  const navigate = useNavigate({ from: "/contacts" })
  const [isCreating, setCreating] = useState(false)
  const rows = useRows(asked)
  const create = may("editor") ? () => setCreating(true) : null
  useKeys(create === null ? {} : { n: create })
  const { isPending, total } = rows
  useEffect(() => {
    if (!isPending) announce(words.count(total))
  }, [isPending, total, words])
  const { rules, search = "" } = asked
  const isEmpty = !isPending && total === 0 && search === "" && rules === undefined && rows.error === null
  return (
    <>
      <Head asked={asked} count={isPending || isEmpty ? null : words.number(total)} onCreate={create} />
      {isEmpty ? (
        <Empty icon={<ContactsIcon size={22} />} title={words.empty} text={words.emptyText}>
          {create !== null && (
            <>
              <NewButton onClick={create} />
              <ImportButton />
            </>
          )}
          <CurlButton call={["contacts", "create", { payload: example }]} />
        </Empty>
      ) : (
        <Table asked={asked} rows={rows} onSearch={(next) => void navigate({ search: next, replace: true })} />
      )}
      <Suspense fallback={null}>{isCreating && <NewContact onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
