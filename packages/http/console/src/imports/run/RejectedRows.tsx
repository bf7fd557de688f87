// The rejected rows of a run as a file: mended, it is imported again.
import { Button, Group, Text } from "@mantine/core"
import type { ImportRun } from "@tentpole/client"
import { useMutation } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { api } from "../../api/client.ts"
import { DownloadIcon, UploadIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"

/** Saves bytes as a file of the browser. A link can't name the workspace of a call. */
const save = async (bytes: ReadableStream<Uint8Array>, name: string): Promise<void> => {
  const url = URL.createObjectURL(await new Response(bytes as ReadableStream<Uint8Array<ArrayBuffer>>).blob())
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

export const RejectedRows = ({ run }: { readonly run: ImportRun }) => {
  const words = useWords("imports")
  const { may } = useSession()
  const params = { import_run_id: run.import_run_id }
  const load = useMutation({
    mutationFn: async () => save(await api.imports.exportKept({ params }), `rejected-${run.import_run_id}.csv`),
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
