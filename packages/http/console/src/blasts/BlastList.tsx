// The blasts of the workspace: search, filters by status, and their opens and clicks as small bars.
import { Button, Progress } from "@mantine/core"
import type { Blast } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useChanges } from "../api/changes.ts"
import { usePages } from "../api/rows.ts"
import { useFormat } from "../format.ts"
import { BlastsIcon, PlusIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { Time } from "../parts/Time.tsx"
import type { Column } from "../parts/table/DataTable.tsx"
import { Filters } from "../parts/table/Filters.tsx"
import { Listing } from "../parts/table/Listing.tsx"
import { useSession } from "../session.tsx"
import { useWords, type Words } from "../words/Words.tsx"
import { percentOf, stateOf, toneOf } from "./blast.ts"
import { blast_filters } from "./search.ts"

const NewBlast = lazy(async () => ({ default: (await import("./NewBlast.tsx")).NewBlast }))

/** A share of the delivered messages, as a number and a small bar. */
const Share = ({ color, part, whole }: { readonly part: number; readonly whole: number; readonly color: string }) => {
  const { share } = useFormat()
  if (whole === 0) return <span className="nothing">–</span>
  return (
    <span className="share">
      {share(part, whole)}
      <Progress value={percentOf(part, whole)} color={color} size={4} aria-hidden="true" />
    </span>
  )
}

const columnsOf = (words: Words["blasts"]): ReadonlyArray<Column<Blast>> => [
  { key: "name", label: words.name, width: "minmax(14rem, 2fr)", cell: ({ name }) => name },
  {
    key: "status",
    label: words.status,
    width: "8rem",
    isOnPhone: true,
    cell: (blast) => <StatusBadge tone={toneOf(blast)} label={words.states[stateOf(blast)]} />,
  },
  {
    key: "recipients",
    label: words.recipients,
    width: "7rem",
    isNumber: true,
    isOnPhone: true,
    cell: ({ details }) => (details.blast_recipient_count === 0 ? "–" : words.number(details.blast_recipient_count)),
  },
  {
    key: "opened",
    label: words.opened,
    width: "7rem",
    cell: ({ details }) => (
      <Share part={details.blast_opened_count} whole={details.blast_delivered_count} color="pine.5" />
    ),
  },
  {
    key: "clicked",
    label: words.clicked,
    width: "7rem",
    cell: ({ details }) => (
      <Share part={details.blast_clicked_count} whole={details.blast_delivered_count} color="indigo.5" />
    ),
  },
  {
    key: "time",
    label: words.time,
    width: "10rem",
    cell: ({ scheduled_at, sent_at, status, updated_at }) =>
      status === "scheduled" && scheduled_at !== null ? (
        <Time at={scheduled_at} />
      ) : (
        <Time at={sent_at ?? updated_at} as="relative" />
      ),
  },
]

export const BlastList = () => {
  const words = useWords("blasts")
  const { may } = useSession()
  const asked = useSearch({ from: "/blasts" })
  const navigate = useNavigate({ from: "/blasts" })
  const [isCreating, setCreating] = useState(false)
  useChanges(["workspace"])
  const create = () => setCreating(true)
  return (
    <>
      <Listing
        label={words.title}
        rows={usePages("blasts", "list", { query: asked })}
        columns={columnsOf(words)}
        keyOf={({ blast_id }) => blast_id}
        nameOf={({ name }) => name}
        pathOf={({ blast_id }) => `/blasts/${blast_id}`}
        none={words.none}
        totals={words}
        isFiltered={Object.keys(asked).length > 0}
        empty={{ icon: <BlastsIcon size={22} />, title: words.empty, text: words.emptyText }}
        additions={
          may("editor") && (
            <Button leftSection={<PlusIcon size={16} />} onClick={create}>
              {words.create}
            </Button>
          )
        }
        onNew={may("editor") ? create : null}
        curl={<CurlButton call={["blasts", "list", { query: asked }]} />}
        emptyCurl={<CurlButton call={["blasts", "create", { payload: { name: words.exampleName } }]} />}
        filters={
          <Filters
            asked={asked}
            by="status"
            options={blast_filters.map((each) => ({ value: each, label: words.states[each] }))}
            labels={{ search: words.search, by: words.status, all: words.all }}
            onChange={(search) => void navigate({ search, replace: true })}
          />
        }
      />
      <Suspense fallback={null}>{isCreating && <NewBlast onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
