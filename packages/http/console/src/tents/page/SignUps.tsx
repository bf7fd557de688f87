// The sign-ups of a page: what visitors entered, each with its contact.
import type { Submission, Tent } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { queryOf } from "../../api/queries.ts"
import { useCursor } from "../../api/rows.ts"
import { nameOf } from "../../contacts/person.ts"
import { TableIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { type Column, DataTable } from "../../parts/table/DataTable.tsx"
import { Time } from "../../parts/Time.tsx"
import { useWords, type Words } from "../../words/Words.tsx"

const Person = ({ contactId }: { readonly contactId: string }) => {
  const words = useWords("tents")
  const found = useQuery(queryOf("contacts", "find", { params: { contact_id: contactId } }))
  return (
    <Link to="/contacts/$contactId" params={{ contactId }} className="link">
      {found.data === undefined ? words.contact : nameOf(found.data)}
    </Link>
  )
}

const textOf = ({ fields }: Submission): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${value}`)
    .join(" · ")

const columnsOf = (words: Words["tents"]): ReadonlyArray<Column<Submission>> => [
  {
    key: "contact",
    label: words.contact,
    width: "minmax(12rem, 1fr)",
    cell: ({ contact_id }) =>
      contact_id === null ? <span className="nothing">{words.noContact}</span> : <Person contactId={contact_id} />,
  },
  {
    key: "fields",
    label: words.entered,
    width: "minmax(16rem, 3fr)",
    isOnPhone: true,
    cell: (submission) => <span title={textOf(submission)}>{textOf(submission)}</span>,
  },
  { key: "form", label: words.form, width: "9rem", cell: ({ form_id }) => form_id },
  {
    key: "time",
    label: words.time,
    width: "9rem",
    isOnPhone: true,
    cell: ({ created_at }) => <Time at={created_at} as="relative" />,
  },
]

export const SignUps = ({ tent }: { readonly tent: Tent }) => {
  const words = useWords("tents")
  const params = { tentId: tent.id }
  const rows = useCursor("forms", "submissions", { params })
  const curl = <CurlButton call={["forms", "submissions", { params }]} />
  if (!rows.isPending && rows.error === null && rows.total === 0) {
    return (
      <Empty icon={<TableIcon size={22} />} title={words.noSignUps} text={words.noSignUpsText}>
        {curl}
      </Empty>
    )
  }
  return (
    <>
      {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
      <DataTable
        label={words.tabs.signups}
        rows={rows}
        columns={columnsOf(words)}
        keyOf={({ submission_id }) => submission_id}
        nameOf={(submission) => textOf(submission)}
      />
      {curl}
    </>
  )
}
