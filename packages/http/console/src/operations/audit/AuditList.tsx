// The audit log: who changed what, and when. Owners see their workspace's, operators also the installation's.
import { Alert } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAdminCursor } from "../../api/rows.ts"
import { useNow } from "../../format.ts"
import { AuditIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import type { Column } from "../../parts/table/DataTable.tsx"
import { Listing } from "../../parts/table/Listing.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useWords, type Words } from "../../words/Words.tsx"
import type { AuditSearch } from "../search.ts"
import { type AuditAction, type AuditEntry, type AuditQuery, detailsOf, firstDay, nameOf, pathOf } from "./audit.ts"
import { useWorkspaceNames } from "../useWorkspaceNames.ts"
import { AuditFilters } from "./AuditFilters.tsx"
import { CsvButton, type CsvEnd } from "./CsvButton.tsx"

type AuditWords = Words["operations"]["audit"]

const isAction = (words: AuditWords, action: string): action is AuditAction => Object.hasOwn(words.actions, action)

const actionOf = (words: AuditWords, action: string): string =>
  isAction(words, action) ? words.actions[action] : action

const actorOf = (words: AuditWords, { actor, actor_name }: AuditEntry): string => {
  if (actor_name !== null) return actor_name
  if (Object.hasOwn(words.actors, actor)) return words.actors[actor as keyof AuditWords["actors"]]
  return actor.startsWith("user:") ? words.formerUser : actor
}

const useColumns = (isOfAll: boolean): ReadonlyArray<Column<AuditEntry>> => {
  const words = useWords("operations").audit
  const workspaceOf = useWorkspaceNames()
  return [
    {
      key: "what",
      label: words.what,
      width: "minmax(10rem, 1.2fr)",
      cell: ({ action }) => actionOf(words, action),
    },
    {
      key: "target",
      label: words.target,
      width: "minmax(7rem, 1fr)",
      isOnPhone: true,
      cell: (entry) => {
        const name = nameOf(entry)
        return (
          <span title={entry.target} className={name === null ? "nothing" : undefined}>
            {name ?? "–"}
          </span>
        )
      },
    },
    {
      key: "who",
      label: words.who,
      width: "minmax(7rem, 1fr)",
      isOnPhone: true,
      cell: (entry) => <span title={entry.actor}>{actorOf(words, entry)}</span>,
    },
    ...(isOfAll
      ? [
          {
            key: "workspace",
            label: words.workspace,
            width: "minmax(6rem, 1fr)",
            cell: ({ workspace_id }: AuditEntry) =>
              workspace_id === null ? <span className="nothing">–</span> : workspaceOf(workspace_id),
          },
        ]
      : []),
    {
      key: "when",
      label: words.when,
      width: "8rem",
      isOnPhone: true,
      cell: ({ at }) => <Time at={at} as="relative" />,
    },
    {
      key: "details",
      label: words.details,
      width: "minmax(8rem, 1.6fr)",
      cell: (entry) => {
        const details = detailsOf(entry, words.changed)
        return <span title={details}>{details}</span>
      },
    },
  ]
}

const useAsked = ({ action, actor, all, days }: AuditSearch): AuditQuery => {
  const words = useWords("operations").audit
  const { workspace_id } = useSession().membership
  const now_ms = useNow()
  return {
    ...(all === true ? {} : { workspace_id }),
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined || !isAction(words, action) ? {} : { action }),
    ...(days === undefined ? {} : { from: firstDay(days, now_ms) }),
  }
}

export const AuditList = () => {
  const words = useWords("operations").audit
  const { workspace_id } = useSession().membership
  const asked = useSearch({ from: "/audit" })
  const navigate = useNavigate({ from: "/audit" })
  const [end, setEnd] = useState<CsvEnd>(null)
  const query = useAsked(asked)
  const columns = useColumns(asked.all === true)
  return (
    <Listing
      label={words.title}
      text={words.text}
      rows={useAdminCursor("auditLog", "list", { query })}
      columns={columns}
      keyOf={({ entry_id }) => entry_id}
      nameOf={({ action }) => actionOf(words, action)}
      pathOf={(entry) => pathOf(entry, workspace_id)}
      none={words.none}
      isFiltered={Object.keys(asked).length > 0}
      empty={{ icon: <AuditIcon size={22} />, title: words.empty, text: words.emptyText }}
      additions={<CsvButton query={query} onEnd={setEnd} />}
      onNew={null}
      curl={<CurlButton call={["admin.auditLog", "list", { query }]} />}
      filters={
        <>
          <AuditFilters asked={asked} onChange={(search) => void navigate({ search, replace: true })} />
          {end !== null && "error" in end && <Problem error={end.error} />}
          {end !== null && "rows" in end && (
            <Alert mb="sm" color="yellow" withCloseButton closeButtonLabel={words.clear} onClose={() => setEnd(null)}>
              {words.csvCut(end.rows)}
            </Alert>
          )}
        </>
      }
    />
  )
}
