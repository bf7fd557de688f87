// Exports the recipients of a category: begins the export, follows it, and gives the file.
import { Button } from "@mantine/core"
import type { Blast } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { DownloadIcon } from "../../Icons.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Category } from "../search.ts"

const poll_every_ms = 1_000

interface Props {
  readonly blast: Blast
  readonly category: Category
}

export const ExportButton = ({ blast, category }: Props) => {
  const words = useWords("blasts")
  const params = { blastId: blast.blast_id }
  const [exportId, setExportId] = useState<string | null>(null)
  const begin = useMutationOf("blastExports", "begin", { onDone: ({ export_id }) => setExportId(export_id) })
  const found = useQuery({
    ...queryOf("blastExports", "find", { params: { ...params, exportId: exportId ?? "" } }),
    enabled: exportId !== null,
    // The stream of changes has no address of the file.
    refetchInterval: ({ state: { data } }) =>
      data?.status === "completed" || data?.status === "failed" ? false : poll_every_ms,
  })
  const error = begin.error ?? found.error
  if (error !== null) return <Problem error={error} onRetry={() => begin.mutate({ params, payload: { category } })} />
  if (found.data?.status === "failed") return <Problem error={new Error(found.data.error ?? words.exportFailed)} />
  const url = found.data?.download_url ?? null
  if (url !== null) {
    return (
      <Button component="a" href={url} download leftSection={<DownloadIcon size={16} />}>
        {words.download(found.data?.row_count ?? 0)}
      </Button>
    )
  }
  return (
    <Button
      variant="default"
      leftSection={<DownloadIcon size={16} />}
      loading={begin.isPending || exportId !== null}
      onClick={() => begin.mutate({ params, payload: { category } })}
    >
      {words.export}
    </Button>
  )
}
