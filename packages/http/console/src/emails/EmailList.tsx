// The emails of the workspace: search, status, and the way to a new one.
import { Button } from "@mantine/core"
import type { Email } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useCursor } from "../api/rows.ts"
import { EmailsIcon, PlusIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import type { Column } from "../parts/table/DataTable.tsx"
import { Filters } from "../parts/table/Filters.tsx"
import { Listing } from "../parts/table/Listing.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWords, type Words } from "../words/Words.tsx"
import { statuses } from "./search.ts"
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

const example = { name: "Spring sale", subject: "Garden chairs", html: "<h1>Hello {{contact.first_name|there}}</h1>" }

export const EmailList = () => {
  const words = useWords("emails")
  const { may } = useSession()
  const asked = useSearch({ from: "/emails" })
  const navigate = useNavigate({ from: "/emails" })
  const [isCreating, setCreating] = useState(false)
  const create = () => setCreating(true)
  return (
    <>
      <Listing
        label={words.title}
        rows={useCursor("emails", "list", { query: asked })}
        columns={columnsOf(words)}
        keyOf={({ email_id }) => email_id}
        nameOf={({ name }) => name}
        pathOf={({ email_id }) => `/emails/${email_id}`}
        none={words.none}
        isFiltered={Object.keys(asked).length > 0}
        empty={{ icon: <EmailsIcon size={22} />, title: words.empty, text: words.emptyText }}
        additions={
          may("editor") && (
            <Button leftSection={<PlusIcon size={16} />} onClick={create}>
              {words.create}
            </Button>
          )
        }
        onNew={may("editor") ? create : null}
        curl={<CurlButton call={["emails", "list", { query: asked }]} />}
        emptyCurl={<CurlButton call={["emails", "create", { payload: example }]} />}
        filters={
          <Filters
            asked={asked}
            by="status"
            options={statuses.map((each) => ({ value: each, label: words.states[each] }))}
            labels={{ search: words.search, by: words.status, all: words.all }}
            onChange={(search) => void navigate({ search, replace: true })}
          />
        }
      />
      <Suspense fallback={null}>{isCreating && <NewEmail onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
