// The files of a page, which the AI gets when it makes the page.
import { ActionIcon, Group, Paper, Skeleton, Stack, Table, Text, VisuallyHidden } from "@mantine/core"
import type { Asset, Tent } from "@tentpole/client"
import { useMutation, useQuery } from "@tanstack/react-query"
import { api } from "../../api/client.ts"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { useFormat } from "../../format.ts"
import { DownloadIcon, TrashIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { FileDrop } from "../making/FileField.tsx"

/** Files of a page. The service refuses more. */
const files_max = 50

/** Saves a file: a call needs headers, which a link does not send. */
const download = async ({ actual_tent_id, asset_id, file_name }: Asset): Promise<void> => {
  const stream = await api.tentAssets.content({ params: { tentId: actual_tent_id, asset_id } })
  const url = URL.createObjectURL(await new Response(stream).blob())
  const link = document.createElement("a")
  link.href = url
  link.download = file_name
  link.click()
  URL.revokeObjectURL(url)
}

const FileActions = ({ asset }: { readonly asset: Asset }) => {
  const words = useWords("tents")
  const { may } = useSession()
  const get = useMutation({ mutationFn: () => download(asset) })
  const remove = useMutationOf("tentAssets", "remove", { done: () => words.fileRemoved(asset.file_name) })
  const params = { tentId: asset.actual_tent_id, asset_id: asset.asset_id }
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={words.downloadFile(asset.file_name)}
        loading={get.isPending}
        onClick={() => get.mutate()}
      >
        <DownloadIcon size={16} />
      </ActionIcon>
      {may("editor") && (
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={words.removeFile(asset.file_name)}
          loading={remove.isPending}
          onClick={() => remove.mutate({ params })}
        >
          <TrashIcon size={16} />
        </ActionIcon>
      )}
      {(get.isError || remove.isError) && <Problem error={get.error ?? remove.error} />}
    </Group>
  )
}

const Listed = ({ assets }: { readonly assets: ReadonlyArray<Asset> }) => {
  const words = useWords("tents")
  const { bytes } = useFormat()
  return (
    <Table.ScrollContainer type="native" minWidth={320} tabIndex={0} aria-label={words.files}>
      <Table fz="sm" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.file}</Table.Th>
            <Table.Th visibleFrom="sm">{words.kind}</Table.Th>
            <Table.Th ta="end">{words.size}</Table.Th>
            <Table.Th visibleFrom="sm">{words.uploaded}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{words.actions}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {assets.map((asset) => (
            <Table.Tr key={asset.asset_id}>
              <Table.Td className="break">{asset.file_name}</Table.Td>
              <Table.Td visibleFrom="sm">{asset.content_type}</Table.Td>
              <Table.Td ta="end" className="nowrap">
                {bytes(asset.size_bytes)}
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Time at={asset.created_at} as="relative" />
              </Table.Td>
              <Table.Td>
                <FileActions asset={asset} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

export const Files = ({ tent }: { readonly tent: Tent }) => {
  const words = useWords("tents")
  const { may } = useSession()
  const params = { tentId: tent.id }
  const found = useQuery(queryOf("tentAssets", "list", { params }))
  const upload = useMutationOf("tentAssets", "upload")
  const add = async (files: ReadonlyArray<File>) => {
    for (const file of files) {
      const payload = new FormData()
      payload.append("file", file)
      await upload.mutateAsync({ params, payload }).catch(() => undefined)
    }
  }
  if (found.isPending) return <Skeleton className="late" h={240} radius="lg" />
  if (found.isError) return <Problem error={found.error} onRetry={found.refetch} />
  const { assets } = found.data
  return (
    <Paper p="md" component="section" aria-label={words.files}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Text size="sm" c="dimmed">
            {words.filesText}
          </Text>
          <CurlButton call={["tentAssets", "list", { params }]} />
        </Group>
        {may("editor") && assets.length < files_max && (
          <FileDrop
            label={words.dropFiles(files_max - assets.length)}
            isBusy={upload.isPending}
            onFiles={(files) => void add(files)}
          />
        )}
        {upload.isError && <Problem error={upload.error} />}
        {assets.length === 0 ? (
          <Text size="sm" c="dimmed">
            {words.noFiles}
          </Text>
        ) : (
          <Listed assets={assets} />
        )}
      </Stack>
    </Paper>
  )
}
