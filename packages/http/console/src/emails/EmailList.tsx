// The emails of the workspace: search, status, and the way to a new one.
import { Button, Group, SegmentedControl } from "@mantine/core"
import type { Email } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useCursor } from "../api/rows.ts"
import { EmailsIcon, PlusIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { type Column, DataTable } from "../parts/table/DataTable.tsx"
import { Empty } from "../parts/Empty.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { SearchField } from "../parts/fields/SearchField.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords, type Words } from "../words/Words.tsx"
import { type EmailSearch, isStatus } from "./search.ts"
import { StateBadge } from "./StateBadge.tsx"

const NewEmail = lazy(async () => ({ default: (await import("./NewEmail.tsx")).NewEmail }))

const columnsOf = (words: Words["emails"]): ReadonlyArray<Column<Email>> => [
  { key: "name", label: words.name, width: "minmax(12rem, 2fr)", cell: ({ name }) => name },
  {
    key: "subject",
    label: words.fields.subject,
    width: "minmax(12rem, 3fr)",
    cell: ({ subject }) => subject ?? <span className="nothing">{words.noSubject}</span>,
  },
  {
    key: "status",
    label: words.status,
    width: "13rem",
    isOnPhone: true,
    cell: (email) => <StateBadge of={email} />,
  },
  {
    key: "version",
    label: words.version,
    width: "5rem",
    isNumber: true,
    cell: ({ current_version }) => (current_version === 0 ? "–" : words.versionShort(current_version)),
  },
  {
    key: "updated",
    label: words.updated,
    width: "9rem",
    isOnPhone: true,
    cell: ({ updated_at }) => <Time at={updated_at} as="relative" />,
  },
]

interface FiltersProps {
  readonly asked: EmailSearch
  readonly label: string
  readonly onChange: (search: EmailSearch) => void
}

export const Filters = ({ asked, label, onChange }: FiltersProps) => {
  const words = useWords("emails")
  const { search = "", status } = asked
  return (
    <Group mb="sm" gap="xs">
      <SearchField
        label={label}
        value={search}
        onChange={(text) =>
          onChange({ ...(status === undefined ? {} : { status }), ...(text === "" ? {} : { search: text }) })
        }
      />
      <SegmentedControl
        size="xs"
        aria-label={words.status}
        value={status ?? "all"}
        data={[
          { value: "all", label: words.all },
          { value: "draft", label: words.states.draft },
          { value: "approved", label: words.states.approved },
        ]}
        onChange={(next) =>
          onChange({ ...(isStatus(next) ? { status: next } : {}), ...(search === "" ? {} : { search }) })
        }
      />
    </Group>
  )
}

const example = { name: "Spring sale", subject: "Garden chairs", html: "<h1>Hello {{contact.first_name|there}}</h1>" }

export const EmailList = () => {
  const words = useWords("emails")
  const { may } = useSession()
  const asked = useSearch({ from: "/emails" })
  const navigate = useNavigate({ from: "/emails" })
  const [isCreating, setCreating] = useState(false)
  const rows = useCursor("emails", "list", { query: asked })
  const create = () => setCreating(true)
  useKeys(may("editor") ? { n: create } : {})
  const isEmpty = !rows.isPending && rows.error === null && rows.total === 0 && Object.keys(asked).length === 0
  const button = may("editor") && (
    <Button leftSection={<PlusIcon size={16} />} onClick={create}>
      {words.create}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={words.title}
        actions={
          <>
            <CurlButton call={["emails", "list", { query: asked }]} />
            {button}
          </>
        }
      />
      {isEmpty ? (
        <Empty icon={<EmailsIcon size={22} />} title={words.empty} text={words.emptyText}>
          {button}
          <CurlButton call={["emails", "create", { payload: example }]} />
        </Empty>
      ) : (
        <>
          <Filters asked={asked} label={words.search} onChange={(search) => void navigate({ search, replace: true })} />
          {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
          <DataTable
            label={words.title}
            rows={rows}
            columns={columnsOf(words)}
            keyOf={({ email_id }) => email_id}
            nameOf={({ name }) => name}
            pathOf={({ email_id }) => `/emails/${email_id}`}
            none={words.none}
          />
        </>
      )}
      <Suspense fallback={null}>{isCreating && <NewEmail onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
