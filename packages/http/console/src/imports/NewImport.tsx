// The first step of an import: the file, and its upload with progress.
import { Button, Group, Paper, Progress as Bar, Stack, Text } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { api } from "../api/client.ts"
import { useFormat } from "../format.ts"
import { UploadIcon } from "../Icons.tsx"
import { BackLink } from "../parts/BackLink.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { ImportSteps } from "./ImportSteps.tsx"
import { type Progress, upload } from "./upload.ts"

type State =
  | { readonly is: "idle" }
  | { readonly is: "sending"; readonly file: File; readonly progress: Progress | null }
  | { readonly is: "stopped"; readonly file: File; readonly error: unknown }

const content_type = "text/csv"

/** Begins a session, sends the file, and returns the session. */
const send = async (file: File, onProgress: (progress: Progress) => void, signal: AbortSignal): Promise<string> => {
  const begun = await api.imports.begin(
    { payload: { source: "upload", file_name: file.name, content_type, through_service: true } },
    { signal },
  )
  await upload(begun.upload_url ?? "", file, onProgress, signal)
  return begun.import_session_id
}

const useUpload = (onDone: (sessionId: string) => void) => {
  const [state, setState] = useState<State>({ is: "idle" })
  const sending = useRef<AbortController | null>(null)
  useEffect(() => () => sending.current?.abort(), [])
  const begin = async (file: File) => {
    sending.current?.abort()
    const attempt = new AbortController()
    sending.current = attempt
    setState({ is: "sending", file, progress: null })
    try {
      const id = await send(file, (progress) => setState({ is: "sending", file, progress }), attempt.signal)
      onDone(id)
    } catch (error) {
      // Another attempt replaced this one.
      if (sending.current === attempt) setState({ is: "stopped", file, error: attempt.signal.aborted ? null : error })
    }
  }
  return { state, begin: (file: File) => void begin(file), stop: () => sending.current?.abort() }
}

const Choice = ({ onFile }: { readonly onFile: (file: File) => void }) => {
  const words = useWords("imports")
  return (
    <div className="drop">
      <UploadIcon size={26} />
      <Text fw={600}>{words.choose}</Text>
      <Text size="sm" c="dimmed" ta="center" maw={460}>
        {words.chooseText}
      </Text>
      <input
        type="file"
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
        aria-label={words.fileLabel}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          if (file !== undefined) onFile(file)
        }}
      />
    </div>
  )
}

interface SendingProps {
  readonly file: File
  readonly progress: Progress | null
  readonly onStop: () => void
}

const Sending = ({ file, onStop, progress }: SendingProps) => {
  const words = useWords("imports")
  const { bytes } = useFormat()
  const share = progress === null ? 0 : (progress.sent_bytes * 100) / Math.max(1, progress.all_bytes)
  return (
    <Paper p="md" maw={640}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Text fw={600} size="sm" className="break">
            {words.uploading(file.name)}
          </Text>
          <Button size="compact-sm" variant="default" onClick={onStop}>
            {words.stop}
          </Button>
        </Group>
        <Bar value={share} aria-label={words.uploading(file.name)} />
        <Text size="sm" c="dimmed">
          {words.uploaded(bytes(progress?.sent_bytes ?? 0), bytes(file.size))}
          {progress !== null && ` · ${words.perSecond(bytes(progress.per_second))}`}
        </Text>
      </Stack>
    </Paper>
  )
}

export const NewImport = () => {
  const words = useWords("imports")
  const search = useSearch({ from: "/imports/new" })
  const navigate = useNavigate()
  const { begin, state, stop } = useUpload((sessionId) => {
    void navigate({ to: "/imports/sessions/$sessionId", params: { sessionId }, search, replace: true })
  })
  return (
    <>
      <PageHeader
        above={<BackLink to="/imports" label={words.title} />}
        title={words.create}
        actions={
          <CurlButton call={["imports", "begin", { payload: { source: "upload", file_name: "contacts.csv" } }]} />
        }
      />
      <ImportSteps at="file" open={[]} onStep={() => undefined} />
      {state.is === "sending" ? (
        <Sending file={state.file} progress={state.progress} onStop={stop} />
      ) : (
        <Stack maw={640}>
          {state.is === "stopped" && state.error !== null && (
            <Problem error={state.error} onRetry={() => begin(state.file)} />
          )}
          {state.is === "stopped" && state.error === null && (
            <Group gap="sm" role="status">
              <Text size="sm">{words.stopped}</Text>
              <Button size="compact-sm" variant="default" onClick={() => begin(state.file)}>
                {words.uploadAgain}
              </Button>
            </Group>
          )}
          <Choice onFile={begin} />
        </Stack>
      )}
    </>
  )
}
