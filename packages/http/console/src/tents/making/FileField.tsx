// Chooses files by a dialog or by dropping them, and lists those that are uploaded.
import "../tents.css"
import { ActionIcon, Group, Input, Loader, Text } from "@mantine/core"
import { type DragEvent, useId, useState } from "react"
import { useFormat } from "../../format.ts"
import { CrossIcon, UploadIcon } from "../../Icons.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { files_max, type Uploads } from "./useUploads.ts"

interface DropProps {
  readonly label: string
  readonly isBusy: boolean
  readonly onFiles: (files: ReadonlyArray<File>) => void
}

export const FileDrop = ({ isBusy, label, onFiles }: DropProps) => {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onFiles([...event.dataTransfer.files])
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- dropping is an extra: the input does the same
    <label
      htmlFor={id}
      className="drop"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {isBusy ? <Loader size={16} aria-hidden="true" /> : <UploadIcon size={16} />}
      <span>{label}</span>
      <input
        id={id}
        type="file"
        multiple
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          // The same file can be chosen again.
          currentTarget.value = ""
        }}
      />
    </label>
  )
}

export const FileField = ({ uploads }: { readonly uploads: Uploads }) => {
  const words = useWords("tents")
  const { bytes } = useFormat()
  const { error, files, isUploading, remove, upload } = uploads
  return (
    <div role="group" aria-label={words.files}>
      <Input.Label labelElement="div">{words.files}</Input.Label>
      {files.length < files_max && (
        <FileDrop label={words.dropFiles(files_max)} isBusy={isUploading} onFiles={upload} />
      )}
      {files.map((file) => (
        <Group key={file.asset_id} justify="space-between" wrap="nowrap" gap="xs">
          <Text size="sm" truncate>
            {file.file_name}
          </Text>
          <Group gap={4} wrap="nowrap">
            <Text size="xs" c="dimmed" className="nowrap">
              {bytes(file.size_bytes)}
            </Text>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words.removeFile(file.file_name)}
              onClick={() => remove(file)}
            >
              <CrossIcon size={15} />
            </ActionIcon>
          </Group>
        </Group>
      ))}
      {error !== null && <Problem error={error} />}
    </div>
  )
}
