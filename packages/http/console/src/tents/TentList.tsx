// The pages of the workspace: search, status, addresses, and the ways to new ones.
import { Button } from "@mantine/core"
import type { ListedTent } from "@tentpole/client"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useCursor } from "../api/rows.ts"
import { PlusIcon, TableIcon, TentsIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import type { Column } from "../parts/table/DataTable.tsx"
import { Filters } from "../parts/table/Filters.tsx"
import { Listing } from "../parts/table/Listing.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWords, type Words } from "../words/Words.tsx"
import { tent_filters } from "./search.ts"
import { shortAddress, stateOf, tentTones } from "./tent.ts"

const NewTent = lazy(async () => ({ default: (await import("./making/NewTent.tsx")).NewTent }))

const columnsOf = (words: Words["tents"]): ReadonlyArray<Column<ListedTent>> => [
  { key: "name", label: words.name, width: "minmax(14rem, 2fr)", cell: ({ name }) => name },
  {
    key: "status",
    label: words.status,
    width: "11rem",
    isOnPhone: true,
    cell: (tent) => {
      const state = stateOf(tent)
      return <StatusBadge tone={tentTones[state]} label={words.states[state]} />
    },
  },
  {
    key: "address",
    label: words.address,
    width: "minmax(12rem, 2fr)",
    cell: ({ publication }) => {
      const url = publication?.published_url
      return url === undefined ? <span className="nothing">–</span> : shortAddress(url)
    },
  },
  {
    key: "by",
    label: words.writtenBy,
    width: "8rem",
    cell: ({ generated_by }) =>
      generated_by === null ? <span className="nothing">–</span> : generated_by === "sample" ? words.sample : words.ai,
  },
  {
    key: "updated",
    label: words.updated,
    width: "9rem",
    isOnPhone: true,
    cell: ({ updated_at }) => <Time at={updated_at} as="relative" />,
  },
]

const example = { name: "Spring sale", prompt: "A landing page for our spring sale of garden chairs" }

export const TentList = () => {
  const words = useWords("tents")
  const { may } = useSession()
  const asked = useSearch({ from: "/tents" })
  const navigate = useNavigate({ from: "/tents" })
  const [isCreating, setCreating] = useState(false)
  const create = () => setCreating(true)
  return (
    <>
      <Listing
        label={words.title}
        rows={useCursor("tents", "list", { query: asked })}
        columns={columnsOf(words)}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        pathOf={({ id }) => `/tents/${id}`}
        none={words.none}
        isFiltered={Object.keys(asked).length > 0}
        empty={{ icon: <TentsIcon size={22} />, title: words.empty, text: words.emptyText }}
        additions={
          may("editor") && (
            <>
              <Button component={Link} to="/tents/bulk" variant="default" leftSection={<TableIcon size={16} />}>
                {words.bulk}
              </Button>
              <Button leftSection={<PlusIcon size={16} />} onClick={create}>
                {words.create}
              </Button>
            </>
          )
        }
        onNew={may("editor") ? create : null}
        curl={<CurlButton call={["tents", "list", { query: asked }]} />}
        emptyCurl={<CurlButton call={["tents", "create", { payload: example }]} />}
        filters={
          <Filters
            asked={asked}
            by="status"
            options={tent_filters.map((each) => ({ value: each, label: words.filters[each] }))}
            labels={{ search: words.search, by: words.status, all: words.all }}
            onChange={(search) => void navigate({ search, replace: true })}
          />
        }
      />
      <Suspense fallback={null}>{isCreating && <NewTent onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
