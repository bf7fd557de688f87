// The suppressed addresses: search, reasons, the form of another one, and the way back for owners.
import { Button } from "@mantine/core"
import type { Suppression } from "@tentpole/client"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useCursor } from "../api/rows.ts"
import { PlusIcon, SuppressionsIcon, UndoIcon, UploadIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { StatusBadge, type Tone } from "../parts/StatusBadge.tsx"
import type { Column } from "../parts/table/DataTable.tsx"
import { Filters } from "../parts/table/Filters.tsx"
import { Listing } from "../parts/table/Listing.tsx"
import { RowAction } from "../parts/table/RowAction.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWords, type Words } from "../words/Words.tsx"
import { suppression_reasons } from "./search.ts"

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
  const navigate = useNavigate({ from: "/suppressions" })
  const [isAdding, setAdding] = useState(false)
  const [taken, setTaken] = useState<Suppression | null>(null)
  const add = () => setAdding(true)
  return (
    <>
      <Listing
        label={words.suppressions}
        text={words.suppressionsText}
        rows={useCursor("suppressions", "list", { query: asked })}
        columns={columnsOf(words)}
        keyOf={({ email }) => email}
        nameOf={({ email }) => email}
        none={words.none}
        isFiltered={Object.keys(asked).length > 0}
        empty={{ icon: <SuppressionsIcon size={22} />, title: words.empty, text: words.emptyText }}
        additions={<Additions onAdd={add} />}
        onNew={may("editor") ? add : null}
        curl={<CurlButton call={["suppressions", "list", { query: asked }]} />}
        filters={
          <Filters
            asked={asked}
            by="reason"
            options={suppression_reasons.map((each) => ({ value: each, label: words.reasons[each] }))}
            labels={{ search: words.search, by: words.reason, all: words.all }}
            onChange={(search) => void navigate({ search, replace: true })}
          />
        }
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
      <Suspense fallback={null}>
        {isAdding && <AddSuppression onClose={() => setAdding(false)} />}
        {taken !== null && <TakeBack suppression={taken} onClose={() => setTaken(null)} />}
      </Suspense>
    </>
  )
}
