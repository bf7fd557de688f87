// What became of each row of a run, with the reason of those that were rejected.
import { SegmentedControl, Text } from "@mantine/core"
import type { ImportRowResult, ImportRun } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useFormat } from "../../format.ts"
import { usePages } from "../../api/rows.ts"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge, type Tone } from "../../parts/StatusBadge.tsx"
import { type Column, DataTable } from "../../parts/table/DataTable.tsx"
import { useWords, type Words } from "../../words/Words.tsx"
import { isResultStatus, type ResultStatus } from "../search.ts"

const tones: Readonly<Record<ResultStatus, Tone>> = {
  created: "good",
  updated: "good",
  skipped: "quiet",
  failed: "bad",
}

const Issues = ({ row }: { readonly row: ImportRowResult }) => {
  const words = useWords("imports")
  const texts = row.field_issues.map(({ code, header, message, value }) =>
    [header === null ? "" : `${header}:`, value === null ? "" : `“${value}”`, words.issueText(code, message)]
      .filter((part) => part !== "")
      .join(" "),
  )
  return <span title={texts.join("\n")}>{texts.join(" · ")}</span>
}

const columnsOf = (
  words: Words["imports"],
  number: (value: number) => string,
): ReadonlyArray<Column<ImportRowResult>> => [
  { key: "row", label: words.row, width: "6rem", cell: ({ row_number }) => number(row_number) },
  {
    key: "status",
    label: words.status,
    width: "8rem",
    isOnPhone: true,
    cell: ({ status }) => <StatusBadge tone={tones[status]} label={words[status]} />,
  },
  {
    key: "reason",
    label: words.reasonOf,
    width: "minmax(16rem, 4fr)",
    isOnPhone: true,
    cell: (row) => <Issues row={row} />,
  },
]

const Rows = ({ run, status }: { readonly run: ImportRun; readonly status: ResultStatus | "all" }) => {
  const words = useWords("imports")
  const { number } = useFormat()
  const rows = usePages("imports", "results", {
    params: { import_run_id: run.import_run_id },
    query: status === "all" ? {} : { status },
  })
  return (
    <>
      {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
      <DataTable
        label={words.results}
        rows={rows}
        columns={columnsOf(words, number)}
        keyOf={({ row_number }) => String(row_number)}
        nameOf={({ row_number }) => `${words.row} ${row_number}`}
        pathOf={({ contact_id }) => (contact_id === null ? null : `/contacts/${contact_id}`)}
        none={words.noResults}
        isTall={run.error_count + run.warning_count > 0}
      />
    </>
  )
}

export const Results = ({ run }: { readonly run: ImportRun }) => {
  const words = useWords("imports")
  const { status: asked } = useSearch({ from: "/imports/$runId" })
  const navigate = useNavigate({ from: "/imports/$runId" })
  if (run.processed_rows === 0) return null
  const counts: Readonly<Record<ResultStatus, number>> = {
    failed: run.error_count,
    skipped: run.skipped_count,
    updated: run.updated_count,
    created: run.created_count,
  }
  const status = asked ?? (run.error_count > 0 ? "failed" : run.skipped_count > 0 ? "skipped" : "all")
  return (
    <div>
      <Text component="h2" fw={600} size="sm" m={0} mb="xs">
        {words.results}
      </Text>
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label={words.status}
        value={status}
        data={[
          { value: "all", label: words.all },
          ...(["failed", "skipped", "updated", "created"] as const)
            .filter((each) => counts[each] > 0)
            .map((value) => ({ value, label: words[value] })),
        ]}
        onChange={(next) => void navigate({ search: isResultStatus(next) ? { status: next } : {}, replace: true })}
      />
      <Rows key={status} run={run} status={status} />
    </div>
  )
}
