// The runs of imports, the newest first. Those that run move while they are watched.
import { Button, Progress } from "@mantine/core"
import type { NamedImportRun } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { goingOnQuery, useChanges } from "../api/changes.ts"
import { useCursor } from "../api/rows.ts"
import { useFormat } from "../format.ts"
import { ImportsIcon, PlusIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge, type Tone } from "../parts/StatusBadge.tsx"
import { type Column, DataTable } from "../parts/table/DataTable.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords, type Words } from "../words/Words.tsx"

export const runTones: Readonly<Record<NamedImportRun["status"], Tone>> = {
  queued: "quiet",
  running: "busy",
  completed: "good",
  failed: "bad",
}

const Done = ({ run }: { readonly run: NamedImportRun }) => {
  const words = useWords("imports")
  const { number } = useFormat()
  const { processed_rows, status, total_rows } = run
  if (status !== "running" || total_rows === null) return number(total_rows ?? processed_rows)
  return (
    <Progress
      value={total_rows === 0 ? 100 : (processed_rows * 100) / total_rows}
      size="sm"
      w="100%"
      aria-label={words.of(number(processed_rows), number(total_rows))}
    />
  )
}

const columnsOf = (words: Words["imports"]): ReadonlyArray<Column<NamedImportRun>> => {
  const count = (key: string, label: string, of: (run: NamedImportRun) => number) => ({
    key,
    label,
    width: "6.5rem",
    isNumber: true,
    cell: (run: NamedImportRun) => words.number(of(run)),
  })
  return [
    {
      key: "file",
      label: words.file,
      width: "minmax(12rem, 2fr)",
      cell: ({ file_name }) => file_name ?? words.noName,
    },
    {
      key: "status",
      label: words.status,
      width: "7.5rem",
      isOnPhone: true,
      cell: ({ status }) => <StatusBadge tone={runTones[status]} label={words.statuses[status]} />,
    },
    { key: "as", label: words.kind, width: "7.5rem", cell: ({ as }) => words.as[as] },
    {
      key: "rows",
      label: words.rows,
      width: "7rem",
      isNumber: true,
      isOnPhone: true,
      cell: (run) => <Done run={run} />,
    },
    count("created", words.created, ({ created_count }) => created_count),
    count("updated", words.updated, ({ updated_count }) => updated_count),
    count("failed", words.failed, ({ error_count, skipped_count }) => error_count + skipped_count),
    {
      key: "started",
      label: words.started,
      width: "9rem",
      isOnPhone: true,
      cell: ({ created_at }) => <Time at={created_at} as="relative" />,
    },
  ]
}

const example = { source: "rows", rows: [{ Email: "ann@example.org", "First name": "Ann" }] } as const

export const ImportList = () => {
  const words = useWords("imports")
  const { may } = useSession()
  const navigate = useNavigate()
  const rows = useCursor("imports", "list", {})
  useChanges(["workspace"])
  const goingOn = useQuery(goingOnQuery)
  useKeys(may("editor") ? { n: () => void navigate({ to: "/imports/new" }) } : {})
  const live = new Map((goingOn.data?.imports ?? []).map((run) => [run.import_run_id, run]))
  const isEmpty = !rows.isPending && rows.error === null && rows.total === 0
  const button = may("editor") && (
    <Button component={Link} to="/imports/new" leftSection={<PlusIcon size={16} />}>
      {words.create}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={words.title}
        actions={
          <>
            <CurlButton call={["imports", "list", {}]} />
            {button}
          </>
        }
      />
      {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
      {isEmpty ? (
        <Empty icon={<ImportsIcon size={22} />} title={words.empty} text={words.emptyText}>
          {button}
          <CurlButton call={["imports", "begin", { payload: example }]} />
        </Empty>
      ) : (
        <DataTable
          label={words.title}
          rows={{
            ...rows,
            rowAt: (index) => {
              const row = rows.rowAt(index)
              return row === undefined ? undefined : (live.get(row.import_run_id) ?? row)
            },
          }}
          columns={columnsOf(words)}
          keyOf={({ import_run_id }) => import_run_id}
          nameOf={({ file_name }) => file_name ?? words.noName}
          pathOf={({ import_run_id }) => `/imports/${import_run_id}`}
          none={words.none}
        />
      )}
    </>
  )
}
