// The recipients of a blast by category, reason, domain and link, with search and export.
import { Group, NativeSelect, Pill } from "@mantine/core"
import type { Blast, BlastRecipient } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { usePages } from "../../api/rows.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge, type Tone } from "../../parts/StatusBadge.tsx"
import { Time } from "../../parts/Time.tsx"
import { SearchField } from "../../parts/fields/SearchField.tsx"
import { type Column, DataTable } from "../../parts/table/DataTable.tsx"
import { useSession } from "../../session.tsx"
import { useWords, type Words } from "../../words/Words.tsx"
import {
  block_reasons,
  type BlastSearch,
  categories,
  failure_reasons,
  isCategory,
  isReason,
  recipientQuery,
} from "../search.ts"
import { ExportRecipients } from "./ExportRecipients.tsx"

const tones: Readonly<Record<BlastRecipient["status"], Tone>> = {
  queued: "busy",
  sent: "good",
  failed: "bad",
  blocked: "quiet",
}

const timeColumn = (key: "opened_at" | "clicked_at" | "sent_at", label: string): Column<BlastRecipient> => ({
  key,
  label,
  width: "8rem",
  cell: (recipient) => {
    const at = recipient[key]
    return at === null ? <span className="nothing">–</span> : <Time at={at} as="relative" />
  },
})

const columnsOf = (words: Words["blasts"]): ReadonlyArray<Column<BlastRecipient>> => [
  {
    key: "email",
    label: words.recipient,
    width: "minmax(14rem, 2fr)",
    cell: ({ display_name, email }) => email ?? display_name ?? words.noAddress,
  },
  {
    key: "status",
    label: words.status,
    width: "7rem",
    isOnPhone: true,
    cell: ({ status }) => <StatusBadge tone={tones[status]} label={words.recipientStates[status]} />,
  },
  {
    key: "reason",
    label: words.reason,
    width: "minmax(9rem, 1fr)",
    isOnPhone: true,
    cell: ({ reason }) => (reason !== null && isReason(reason) ? words.reasons[reason] : reason),
  },
  timeColumn("sent_at", words.sent),
  timeColumn("opened_at", words.opened),
  timeColumn("clicked_at", words.clicked),
]

/** A filter that a table of the report set, and the way to remove it. */
const Chips = ({ asked, onAsked }: { readonly asked: BlastSearch; readonly onAsked: (asked: BlastSearch) => void }) => {
  const words = useWords("blasts")
  const { domain, link, ...rest } = asked
  return (
    <>
      {domain !== undefined && (
        <Pill
          withRemoveButton
          removeButtonProps={{ "aria-label": words.removeFilter(domain), tabIndex: 0, "aria-hidden": false }}
          onRemove={() => onAsked({ ...rest, ...(link === undefined ? {} : { link }) })}
        >
          {domain}
        </Pill>
      )}
      {link !== undefined && (
        <Pill
          withRemoveButton
          removeButtonProps={{
            "aria-label": words.removeFilter(words.linkAt(link + 1)),
            tabIndex: 0,
            "aria-hidden": false,
          }}
          onRemove={() => onAsked({ ...rest, ...(domain === undefined ? {} : { domain }) })}
        >
          {words.linkAt(link + 1)}
        </Pill>
      )}
    </>
  )
}

const Filters = ({ blast }: { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const { may } = useSession()
  const asked = useSearch({ from: "/blasts/$blastId" })
  const navigate = useNavigate({ from: "/blasts/$blastId" })
  const onAsked = (next: BlastSearch) => void navigate({ search: next, replace: true })
  const { category, reason, search, ...rest } = asked
  const given = {
    ...(category === undefined ? {} : { category }),
    ...(reason === undefined ? {} : { reason }),
    ...(search === undefined ? {} : { search }),
  }
  return (
    <Group mb="sm" gap="xs">
      <SearchField
        label={words.searchRecipients}
        value={search ?? ""}
        onChange={(text) => {
          const { search: _, ...others } = given
          onAsked({ ...rest, ...others, ...(text === "" ? {} : { search: text }) })
        }}
      />
      <NativeSelect
        aria-label={words.category}
        value={category ?? "recipients"}
        data={categories.map((value) => ({ value, label: words.categories[value] }))}
        onChange={({ currentTarget: { value } }) => {
          const { category: _, ...others } = given
          onAsked({ ...rest, ...others, ...(isCategory(value) && value !== "recipients" ? { category: value } : {}) })
        }}
      />
      <NativeSelect
        aria-label={words.reason}
        value={reason ?? ""}
        data={[
          { value: "", label: words.anyReason },
          {
            group: words.recipientStates.blocked,
            items: block_reasons.map((value) => ({ value, label: words.reasons[value] })),
          },
          {
            group: words.recipientStates.failed,
            items: failure_reasons.map((value) => ({ value, label: words.reasons[value] })),
          },
        ]}
        onChange={({ currentTarget: { value } }) => {
          const { reason: _, ...others } = given
          onAsked({ ...rest, ...others, ...(isReason(value) ? { reason: value } : {}) })
        }}
      />
      <Chips asked={asked} onAsked={onAsked} />
      <Group gap="xs" ml="auto">
        <CurlButton
          call={["blasts", "recipients", { params: { blastId: blast.blast_id }, query: recipientQuery(asked) }]}
        />
        {may("editor") && <ExportRecipients key={category} blast={blast} category={category ?? "recipients"} />}
      </Group>
    </Group>
  )
}

export const Recipients = ({ blast }: { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const asked = useSearch({ from: "/blasts/$blastId" })
  const rows = usePages("blasts", "recipients", {
    params: { blastId: blast.blast_id },
    query: recipientQuery(asked),
  })
  return (
    <>
      <Filters blast={blast} />
      {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
      <DataTable
        label={words.recipients}
        rows={rows}
        columns={columnsOf(words)}
        keyOf={({ recipient_id }) => recipient_id}
        nameOf={({ display_name, email }) => display_name ?? email ?? words.noAddress}
        pathOf={({ contact_id }) => `/contacts/${contact_id}`}
        none={words.noRecipients}
      />
    </>
  )
}
