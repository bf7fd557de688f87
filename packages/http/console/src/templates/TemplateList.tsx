// The templates of emails and of pages: search, status, and the way to a new one.
import { Button, SegmentedControl } from "@mantine/core"
import type { EmailTemplate, TentTemplate } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { type Rows, useCursor } from "../api/rows.ts"
import { type EmailSearch, statuses } from "../emails/search.ts"
import { StateBadge } from "../emails/StateBadge.tsx"
import { PlusIcon, TemplatesIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { type Column, DataTable } from "../parts/table/DataTable.tsx"
import { Filters } from "../parts/table/Filters.tsx"
import { Empty } from "../parts/Empty.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords, type Words } from "../words/Words.tsx"

const NewTemplate = lazy(async () => ({ default: (await import("./NewTemplate.tsx")).NewTemplate }))

type Template = EmailTemplate | TentTemplate

const columnsOf = (words: Words["emails"]): ReadonlyArray<Column<Template>> => [
  { key: "name", label: words.name, width: "minmax(12rem, 3fr)", cell: ({ name }) => name },
  {
    key: "status",
    label: words.status,
    width: "13rem",
    isOnPhone: true,
    cell: (template) => <StateBadge of={template} />,
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

interface TableProps {
  readonly rows: Rows<Template>
  readonly asked: EmailSearch
  readonly of: "emails" | "tents"
  readonly onCreate: (() => void) | null
  readonly onSearch: (search: EmailSearch) => void
}

const Templates = ({ asked, of, onCreate, onSearch, rows }: TableProps) => {
  const words = useWords("emails")
  const { templates } = words
  if (!rows.isPending && rows.error === null && rows.total === 0 && Object.keys(asked).length === 0) {
    return (
      <Empty
        icon={<TemplatesIcon size={22} />}
        title={of === "emails" ? templates.empty : templates.emptyTents}
        text={of === "emails" ? templates.emptyText : templates.emptyTentsText}
      >
        {onCreate !== null && <Button onClick={onCreate}>{templates.create}</Button>}
        <CurlButton call={["emailTemplates", "create", { payload: { name: "Newsletter" } }]} />
      </Empty>
    )
  }
  return (
    <>
      <Filters
        asked={asked}
        by="status"
        options={statuses.map((each) => ({ value: each, label: words.states[each] }))}
        labels={{ search: templates.search, by: words.status, all: words.all }}
        onChange={onSearch}
      />
      {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
      <DataTable
        label={templates.title}
        rows={rows}
        columns={columnsOf(words)}
        keyOf={({ template_id }) => template_id}
        nameOf={({ name }) => name}
        pathOf={({ template_id }) => `/templates/${of}/${template_id}`}
        none={templates.none}
      />
    </>
  )
}

type Inner = Omit<TableProps, "rows" | "of">

const EmailTemplates = (props: Inner) => (
  <Templates {...props} of="emails" rows={useCursor("emailTemplates", "list", { query: props.asked })} />
)

const TentTemplates = (props: Inner) => (
  <Templates {...props} of="tents" rows={useCursor("tentTemplates", "list", { query: props.asked })} />
)

export const TemplateList = () => {
  const { templates } = useWords("emails")
  const { may } = useSession()
  const { of = "emails", ...asked } = useSearch({ from: "/templates" })
  const navigate = useNavigate({ from: "/templates" })
  const [isCreating, setCreating] = useState(false)
  const create = may("editor") ? () => setCreating(true) : null
  useKeys(create === null ? {} : { n: create })
  const kept = of === "tents" ? ({ of } as const) : {}
  const inner = {
    asked,
    onCreate: create,
    onSearch: (search: EmailSearch) => void navigate({ search: { ...search, ...kept }, replace: true }),
  }
  return (
    <>
      <PageHeader
        title={templates.title}
        actions={
          <>
            <CurlButton call={[of === "tents" ? "tentTemplates" : "emailTemplates", "list", { query: asked }]} />
            {create !== null && (
              <Button leftSection={<PlusIcon size={16} />} onClick={create}>
                {templates.create}
              </Button>
            )}
          </>
        }
      />
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label={templates.kind}
        value={of}
        data={[
          { value: "emails", label: templates.kinds.emails },
          { value: "tents", label: templates.kinds.tents },
        ]}
        onChange={(next) => void navigate({ search: next === "tents" ? { of: "tents" } : {}, replace: true })}
      />
      {of === "tents" ? <TentTemplates {...inner} /> : <EmailTemplates {...inner} />}
      <Suspense fallback={null}>{isCreating && <NewTemplate of={of} onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
