// Writes a file in the background: begins the export, follows it, and gives the file.
import { Button } from "@mantine/core"
import type { Export, ExportBegun } from "@tentpole/client"
import { useMutation, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { DownloadIcon } from "../Icons.tsx"
import { useWords } from "../words/Words.tsx"
import { Problem } from "./Problem.tsx"

const poll_every_ms = 1_000

interface Props {
  /** Names what is exported: another key is another export. */
  readonly of: ReadonlyArray<string>
  readonly begin: () => Promise<ExportBegun>
  readonly find: (exportId: string, signal: AbortSignal) => Promise<Export>
}

export const ExportButton = ({ begin, find, of }: Props) => {
  const words = useWords("shell").export
  const [exportId, setExportId] = useState<string | null>(null)
  const start = useMutation({ mutationFn: begin, onSuccess: ({ export_id }) => setExportId(export_id) })
  const found = useQuery({
    queryKey: ["exports", ...of, exportId],
    queryFn: ({ signal }) => find(exportId ?? "", signal),
    enabled: exportId !== null,
    // The stream of changes has no address of the file.
    refetchInterval: ({ state: { data } }) =>
      data?.status === "completed" || data?.status === "failed" ? false : poll_every_ms,
  })
  const error = start.error ?? found.error
  if (error !== null) return <Problem error={error} onRetry={() => start.mutate()} />
  if (found.data?.status === "failed") return <Problem error={new Error(found.data.error ?? words.failed)} />
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
      loading={start.isPending || exportId !== null}
      onClick={() => start.mutate()}
    >
      {words.begin}
    </Button>
  )
}
