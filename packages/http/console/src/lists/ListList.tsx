// The lists of the workspace: search, kinds, and the way to a new one.
import { Button } from "@mantine/core"
import type { ContactList } from "@tentpole/client"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { usePages } from "../api/rows.ts"
import { ListsIcon, PlusIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import type { Column } from "../parts/table/DataTable.tsx"
import { Filters } from "../parts/table/Filters.tsx"
import { Listing } from "../parts/table/Listing.tsx"
import { StatusBadge, type Tone } from "../parts/StatusBadge.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWords, type Words } from "../words/Words.tsx"
import { kinds } from "./search.ts"

const NewList = lazy(async () => ({ default: (await import("./NewList.tsx")).NewList }))

export const kindTones: Readonly<Record<ContactList["kind"], Tone>> = {
  static: "quiet",
  dynamic: "busy",
  system: "quiet",
}

const columnsOf = (words: Words["lists"]): ReadonlyArray<Column<ContactList>> => [
  { key: "name", label: words.name, width: "minmax(14rem, 2fr)", cell: ({ name }) => name },
  {
    key: "kind",
    label: words.kind,
    width: "8rem",
    isOnPhone: true,
    cell: ({ kind }) => <StatusBadge tone={kindTones[kind]} label={words.kinds[kind]} />,
  },
  {
    key: "members",
    label: words.memberCount,
    width: "8rem",
    isNumber: true,
    isOnPhone: true,
    cell: ({ member_count }) => (member_count === null ? "–" : words.number(member_count)),
  },
  { key: "text", label: words.description, width: "minmax(10rem, 2fr)", cell: ({ description }) => description },
  {
    key: "updated",
    label: words.updated,
    width: "9rem",
    cell: ({ updated_at }) => <Time at={updated_at} as="relative" />,
  },
]

export const ListList = () => {
  const words = useWords("lists")
  const { may } = useSession()
  const asked = useSearch({ from: "/lists" })
  const navigate = useNavigate({ from: "/lists" })
  const [isCreating, setCreating] = useState(false)
  const create = () => setCreating(true)
  return (
    <>
      <Listing
        label={words.title}
        rows={usePages("lists", "list", { query: asked })}
        columns={columnsOf(words)}
        keyOf={({ list_id }) => list_id}
        nameOf={({ name }) => name}
        pathOf={({ list_id }) => `/lists/${list_id}`}
        none={words.none}
        totals={words}
        isFiltered={Object.keys(asked).length > 0}
        empty={{ icon: <ListsIcon size={22} />, title: words.empty, text: words.emptyText }}
        additions={
          may("editor") && (
            <>
              <Button component={Link} to="/lists/new" variant="default" leftSection={<PlusIcon size={16} />}>
                {words.createSegment}
              </Button>
              <Button leftSection={<PlusIcon size={16} />} onClick={create}>
                {words.create}
              </Button>
            </>
          )
        }
        onNew={may("editor") ? create : null}
        curl={<CurlButton call={["lists", "list", { query: asked }]} />}
        filters={
          <Filters
            asked={asked}
            by="kind"
            options={kinds.map((each) => ({ value: each, label: words.kinds[each] }))}
            labels={{ search: words.search, by: words.kind, all: words.all }}
            onChange={(search) => void navigate({ search, replace: true })}
          />
        }
      />
      <Suspense fallback={null}>{isCreating && <NewList onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
