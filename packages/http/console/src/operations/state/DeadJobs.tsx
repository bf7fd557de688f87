// The dead jobs: why each failed, and the ways to try it again or to end it.
import { Text } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { useEffect, useState } from "react"
import { useAdminMutationOf } from "../../api/mutations.ts"
import { useAdminCursor } from "../../api/rows.ts"
import { RefreshIcon, TrashIcon } from "../../Icons.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { type Column, DataTable } from "../../parts/table/DataTable.tsx"
import { RowMenu } from "../../parts/table/RowMenu.tsx"
import { Time } from "../../parts/Time.tsx"
import { useWords } from "../../words/Words.tsx"
import { useWorkspaceNames } from "../useWorkspaceNames.ts"
import { typeOf } from "./Queues.tsx"

type DeadJob = Admin.DeadJob

const query = { state: "dead" } as const

const useColumns = (): ReadonlyArray<Column<DeadJob>> => {
  const words = useWords("operations").state
  const workspaceOf = useWorkspaceNames()
  return [
    {
      key: "type",
      label: words.type,
      width: "minmax(9rem, 1fr)",
      cell: ({ job_id, type }) => <span title={job_id}>{typeOf(words, type)}</span>,
    },
    {
      key: "failure",
      label: words.failure,
      width: "minmax(12rem, 3fr)",
      isOnPhone: true,
      cell: ({ failure }) => <span title={failure}>{failure}</span>,
    },
    {
      key: "workspace",
      label: words.workspace,
      width: "minmax(7rem, 1fr)",
      cell: ({ workspace_id }) => workspaceOf(workspace_id),
    },
    { key: "attempts", label: words.attempts, width: "5rem", isNumber: true, cell: ({ attempts }) => attempts },
    {
      key: "failed",
      label: words.failed,
      width: "8rem",
      isOnPhone: true,
      cell: ({ failed_at }) => <Time at={failed_at} as="relative" />,
    },
  ]
}

const DiscardJob = ({ job, onClose }: { readonly job: DeadJob; readonly onClose: () => void }) => {
  const words = useWords("operations").state
  const discard = useAdminMutationOf("jobs", "remove", { done: () => words.discarded, onDone: onClose })
  return (
    <Confirm
      title={words.discardTitle(typeOf(words, job.type))}
      text={words.discardText}
      action={words.discardAction}
      isPending={discard.isPending}
      error={discard.error}
      onConfirm={() => discard.mutate({ params: { job_id: job.job_id } })}
      onClose={onClose}
    />
  )
}

/** `count`: the dead jobs of the last look. With another count, the list is read again. */
export const DeadJobs = ({ count }: { readonly count: number }) => {
  const words = useWords("operations").state
  const [discarded, setDiscarded] = useState<DeadJob | null>(null)
  const rows = useAdminCursor("jobs", "list", { query })
  const columns = useColumns()
  const requeue = useAdminMutationOf("jobs", "requeue", { done: () => words.requeued })
  const { refetch } = rows
  useEffect(() => void refetch(), [count, refetch])
  if (count === 0 && rows.total === 0) return null
  return (
    <div>
      <Text component="h2" fw={600} size="sm" m={0} mb="xs">
        {words.dead}
      </Text>
      {requeue.isError && <Problem error={requeue.error} />}
      {rows.error !== null && <Problem error={rows.error} onRetry={refetch} />}
      <DataTable
        label={words.dead}
        rows={rows}
        columns={columns}
        keyOf={({ job_id }) => job_id}
        nameOf={({ type }) => typeOf(words, type)}
        actions={(job) => (
          <RowMenu
            of={typeOf(words, job.type)}
            items={[
              {
                label: words.requeue,
                icon: <RefreshIcon size={16} />,
                onClick: () => requeue.mutate({ params: { job_id: job.job_id } }),
              },
              {
                label: words.discard,
                icon: <TrashIcon size={16} />,
                onClick: () => setDiscarded(job),
              },
            ]}
          />
        )}
      />
      {discarded !== null && <DiscardJob job={discarded} onClose={() => setDiscarded(null)} />}
    </div>
  )
}
