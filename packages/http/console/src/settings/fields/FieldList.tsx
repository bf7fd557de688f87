// The custom fields of contacts: active and archived ones, a new one, and the form of each.
import { Button, Group, SegmentedControl } from "@mantine/core"
import type { ContactField } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"
import { queryOf } from "../../api/queries.ts"
import type { Rows } from "../../api/rows.ts"
import { EditIcon, PlusIcon, TagIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { type Column, DataTable } from "../../parts/table/DataTable.tsx"
import { RowAction } from "../../parts/table/RowAction.tsx"
import { useSession } from "../../session.tsx"
import { useWords, type Words } from "../../words/Words.tsx"
import { Section } from "../Section.tsx"

const EditField = lazy(async () => ({ default: (await import("./FieldForm.tsx")).EditField }))
const NewField = lazy(async () => ({ default: (await import("./FieldForm.tsx")).NewField }))

const statuses = ["active", "archived", "any"] as const
type Status = (typeof statuses)[number]

const isStatus = (value: string): value is Status => statuses.some((status) => status === value)

const isSource = (kind: string, sources: Words["settings"]["fields"]["sources"]): kind is keyof typeof sources =>
  Object.hasOwn(sources, kind)

const columnsOf = (words: Words["settings"]["fields"]): ReadonlyArray<Column<ContactField>> => [
  { key: "name", label: words.name, width: "minmax(8rem, 2fr)", cell: ({ display_name }) => display_name },
  {
    key: "api",
    label: words.apiName,
    width: "minmax(8rem, 1.5fr)",
    isOnPhone: true,
    cell: ({ api_name }) => <code>{api_name}</code>,
  },
  {
    key: "type",
    label: words.type,
    width: "6rem",
    isOnPhone: true,
    cell: ({ value_type }) => words.types[value_type],
  },
  {
    key: "source",
    label: words.source,
    width: "7rem",
    cell: ({ provenance_kind }) => (isSource(provenance_kind, words.sources) ? words.sources[provenance_kind] : "–"),
  },
  {
    key: "status",
    label: words.status,
    width: "6.5rem",
    cell: ({ status }) => <StatusBadge tone={status === "active" ? "good" : "quiet"} label={words.statuses[status]} />,
  },
]

/** A workspace has few hundred fields at most, which come in one answer. */
const useFieldRows = (query: { readonly status: Status }): Rows<ContactField> => {
  const found = useQuery(queryOf("contactFields", "list", { query }))
  const fields = found.data?.items ?? []
  return {
    total: fields.length,
    rowAt: (index) => fields[index],
    isWhole: true,
    onRange: () => undefined,
    isPending: found.isPending,
    isStale: found.isPlaceholderData,
    error: found.error,
    refetch: found.refetch,
  }
}

export const FieldList = () => {
  const { fields: words, sections } = useWords("settings")
  const { may } = useSession()
  const [status, setStatus] = useState<Status>("active")
  const [opened, setOpened] = useState<ContactField | "new" | null>(null)
  const query = { status }
  const rows = useFieldRows(query)
  const any = useQuery(queryOf("contactFields", "list", { query: { status: "any" } }))
  const isEmpty = any.data?.items.length === 0
  const create = may("editor") && (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setOpened("new")}>
      {words.create}
    </Button>
  )
  return (
    <Section
      name="fields"
      text={words.text}
      isWide
      actions={
        <>
          <CurlButton call={["contactFields", "list", { query }]} />
          {create}
        </>
      }
    >
      {isEmpty ? (
        <Empty icon={<TagIcon size={22} />} title={words.empty} text={words.emptyText}>
          {create}
        </Empty>
      ) : (
        <>
          <Group mb="sm">
            <SegmentedControl
              size="xs"
              aria-label={words.status}
              value={status}
              data={statuses.map((each) => ({ value: each, label: each === "any" ? words.all : words.statuses[each] }))}
              onChange={(next) => {
                if (isStatus(next)) setStatus(next)
              }}
            />
          </Group>
          {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
          <DataTable
            label={sections.fields}
            rows={rows}
            columns={columnsOf(words)}
            keyOf={({ field_definition_id }) => field_definition_id}
            nameOf={({ display_name }) => display_name}
            none={words.none}
            {...(may("editor")
              ? {
                  actions: (field: ContactField) => (
                    <RowAction
                      label={words.editAction}
                      of={field.display_name}
                      icon={<EditIcon size={16} />}
                      onClick={() => setOpened(field)}
                    />
                  ),
                }
              : {})}
          />
        </>
      )}
      {opened !== null && (
        <Suspense fallback={null}>
          {opened === "new" ? (
            <NewField onClose={() => setOpened(null)} />
          ) : (
            <EditField field={opened} onClose={() => setOpened(null)} />
          )}
        </Suspense>
      )}
    </Section>
  )
}
