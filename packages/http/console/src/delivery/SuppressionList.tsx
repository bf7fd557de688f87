// The suppressed addresses: search, reasons, the form of another one, and the way back for owners.
import { Button, Group, SegmentedControl } from "@mantine/core"
import type { Suppression } from "@tentpole/client"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useCursor } from "../api/rows.ts"
import { PlusIcon, SuppressionsIcon, UndoIcon, UploadIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { SearchField } from "../parts/fields/SearchField.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge, type Tone } from "../parts/StatusBadge.tsx"
import { type Column, DataTable } from "../parts/table/DataTable.tsx"
import { RowAction } from "../parts/table/RowAction.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords, type Words } from "../words/Words.tsx"
import { isSuppressionReason, suppression_reasons } from "./search.ts"

const AddSuppression = lazy(async () => ({ default: (await import("./AddSuppression.tsx")).AddSuppression }))
const TakeBack = lazy(async () => ({ default: (await import("./TakeBack.tsx")).TakeBack }))

const tones: Readonly<Record<Suppression["reason"], Tone>> = {
  unsubscribe: "quiet",
  bounce: "warning",
  complaint: "bad",
  manual: "quiet",
}

const columnsOf = (words: Words["delivery"]): ReadonlyArray<Column<Suppression>> => [
  { key: "email", label: words.address, width: "minmax(12rem, 3fr)", cell: ({ email }) => email },
  {
    key: "reason",
    label: words.reason,
    width: "9rem",
    isOnPhone: true,
    cell: ({ reason }) => <StatusBadge tone={tones[reason]} label={words.reasons[reason]} />,
  },
  {
    key: "since",
    label: words.since,
    width: "8rem",
    isOnPhone: true,
    cell: ({ created_at }) => <Time at={created_at} as="date" />,
  },
]

const Filters = () => {
  const words = useWords("delivery")
  const { reason, search = "" } = useSearch({ from: "/suppressions" })
  const navigate = useNavigate({ from: "/suppressions" })
  return (
    <Group mb="sm" gap="xs">
      <SearchField
        label={words.search}
        value={search}
        onChange={(text) =>
          void navigate({
            search: { ...(reason === undefined ? {} : { reason }), ...(text === "" ? {} : { search: text }) },
            replace: true,
          })
        }
      />
      <SegmentedControl
        size="xs"
        aria-label={words.reason}
        value={reason ?? "all"}
        data={[
          { value: "all", label: words.all },
          ...suppression_reasons.map((each) => ({ value: each, label: words.reasons[each] })),
        ]}
        onChange={(next) =>
          void navigate({
            search: {
              ...(isSuppressionReason(next) ? { reason: next } : {}),
              ...(search === "" ? {} : { search }),
            },
            replace: true,
          })
        }
      />
    </Group>
  )
}

/** The ways in: one address, and a file. */
const Additions = ({ onAdd }: { readonly onAdd: () => void }) => {
  const words = useWords("delivery")
  const { may } = useSession()
  if (!may("editor")) return null
  return (
    <>
      <Button
        renderRoot={(props) => <Link {...props} to="/imports/new" search={{ as: "suppressions" }} />}
        variant="default"
        leftSection={<UploadIcon size={16} />}
      >
        {words.importFile}
      </Button>
      <Button leftSection={<PlusIcon size={16} />} onClick={onAdd}>
        {words.suppress}
      </Button>
    </>
  )
}

export const SuppressionList = () => {
  const words = useWords("delivery")
  const { may } = useSession()
  const asked = useSearch({ from: "/suppressions" })
  const [isAdding, setAdding] = useState(false)
  const [taken, setTaken] = useState<Suppression | null>(null)
  const rows = useCursor("suppressions", "list", { query: asked })
  const add = () => setAdding(true)
  useKeys(may("editor") ? { n: add } : {})
  const isEmpty = !rows.isPending && rows.error === null && rows.total === 0 && Object.keys(asked).length === 0
  return (
    <>
      <PageHeader
        title={words.suppressions}
        text={words.suppressionsText}
        actions={
          <>
            <CurlButton call={["suppressions", "list", { query: asked }]} />
            <Additions onAdd={add} />
          </>
        }
      />
      {isEmpty ? (
        <Empty icon={<SuppressionsIcon size={22} />} title={words.empty} text={words.emptyText}>
          <Additions onAdd={add} />
        </Empty>
      ) : (
        <>
          <Filters />
          {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
          <DataTable
            label={words.suppressions}
            rows={rows}
            columns={columnsOf(words)}
            keyOf={({ email }) => email}
            nameOf={({ email }) => email}
            none={words.none}
            {...(may("owner")
              ? {
                  actions: (suppression: Suppression) => (
                    <RowAction
                      label={words.takeBack}
                      of={suppression.email}
                      icon={<UndoIcon size={16} />}
                      onClick={() => setTaken(suppression)}
                    />
                  ),
                }
              : {})}
          />
        </>
      )}
      <Suspense fallback={null}>
        {isAdding && <AddSuppression onClose={() => setAdding(false)} />}
        {taken !== null && <TakeBack suppression={taken} onClose={() => setTaken(null)} />}
      </Suspense>
    </>
  )
}
