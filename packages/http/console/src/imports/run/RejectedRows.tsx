// The rejected rows of a run as a file, which a person corrects and imports again.
import { Button, Group, Text } from "@mantine/core"
import type { ImportRun } from "@tentpole/client"
import { useMutation } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { api } from "../../api/client.ts"
import { DownloadIcon, UploadIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { saveFile } from "../../saveFile.ts"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"

const blobOf = (bytes: ReadableStream<Uint8Array>): Promise<Blob> =>
  new Response(bytes as ReadableStream<Uint8Array<ArrayBuffer>>).blob()

export const RejectedRows = ({ run }: { readonly run: ImportRun }) => {
  const words = useWords("imports")
  const { may } = useSession()
  const params = { import_run_id: run.import_run_id }
  const load = useMutation({
    mutationFn: async () => {
      const rows = await blobOf(await api.imports.exportKept({ params }))
      saveFile(`rejected-${run.import_run_id}.csv`, "text/csv;charset=utf-8", rows)
    },
  })
  const count = run.error_count + run.skipped_count + run.warning_count
  if (count === 0 || !may("editor")) return null
  return (
    <>
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<DownloadIcon size={16} />}
          loading={load.isPending}
          onClick={() => load.mutate()}
        >
          {words.rejected(count)}
        </Button>
        <Button component={Link} to="/imports/new" variant="default" leftSection={<UploadIcon size={16} />}>
          {words.again}
        </Button>
        <CurlButton call={["imports", "exportKept", { params }]} />
        <Text size="sm" c="dimmed" className="break">
          {words.mend}
        </Text>
      </Group>
      {load.isError && <Problem error={load.error} />}
    </>
  )
}
