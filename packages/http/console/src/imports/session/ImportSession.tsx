// An uploaded file before it is imported: its columns, and a look at its rows. The draft survives a reload.
import { Skeleton, Stack, Text } from "@mantine/core"
import type { ImportPreview } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { BackLink } from "../../parts/BackLink.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { ImportSteps } from "../ImportSteps.tsx"
import type { SessionStep } from "../search.ts"
import { ColumnsStep } from "./ColumnsStep.tsx"
import { type Draft, executionOf, fieldsOf, fromStored, newFields, toStored, withCreated } from "./draft.ts"
import { useProblems } from "./SenderMissing.tsx"

const LookStep = lazy(async () => ({ default: (await import("./LookStep.tsx")).LookStep }))

const keyOf = (sessionId: string): string => `tentpole-import:${sessionId}`

/** The draft, which the tab stores. */
const useDraft = (sessionId: string, preview: ImportPreview) => {
  const { as } = useSearch({ from: "/imports/sessions/$sessionId" })
  const key = keyOf(sessionId)
  const [draft, setDraft] = useState<Draft>(() => fromStored(sessionStorage.getItem(key), preview, as))
  useEffect(() => {
    try {
      sessionStorage.setItem(key, toStored(draft))
    } catch {
      sessionStorage.removeItem(key)
    }
  }, [key, draft])
  return [draft, setDraft] as const
}

interface OpenProps {
  readonly sessionId: string
  readonly preview: ImportPreview
  readonly isReloading: boolean
  readonly onReload: () => void
}

/** Creates the new fields, then starts the run. Fields that were created stay after a refusal of the run. */
const useStart = (sessionId: string, draft: Draft, onDraft: (draft: Draft) => void, onReload: () => void) => {
  const navigate = useNavigate()
  const [failure, setFailure] = useState<unknown>(null)
  const create = useMutationOf("contactFields", "create")
  const execute = useMutationOf("imports", "execute", {
    onDone: ({ import_run_id }) => {
      sessionStorage.removeItem(keyOf(sessionId))
      void navigate({ to: "/imports/$runId", params: { runId: import_run_id }, replace: true })
    },
  })
  const start = async (preview: ImportPreview) => {
    setFailure(null)
    let now = draft
    // The preview does not have the fields that are created now.
    const fields = new Map(fieldsOf(preview))
    try {
      const fresh = newFields(draft)
      if (draft.as === "contacts" && fresh.length > 0) {
        const { items } = await create.mutateAsync({ payload: { items: fresh } })
        for (const field of items) fields.set(field.api_name, field)
        now = withCreated(draft, items)
        onDraft(now)
      }
      await execute.mutateAsync({ params: { session_id: sessionId }, payload: executionOf(now, fields) })
    } catch (error) {
      setFailure(error)
      if (now !== draft) onReload()
    }
  }
  return { start, failure, isPending: create.isPending || execute.isPending }
}

const OpenSession = ({ isReloading, onReload, preview, sessionId }: OpenProps) => {
  const { step: wanted = "columns" } = useSearch({ from: "/imports/sessions/$sessionId" })
  const navigate = useNavigate({ from: "/imports/sessions/$sessionId" })
  const [draft, setDraft] = useDraft(sessionId, preview)
  const { failure, isPending, start } = useStart(sessionId, draft, setDraft, onReload)
  const isReady = useProblems(draft).length === 0
  const step: SessionStep = isReady ? wanted : "columns"
  const go = (next: SessionStep) => void navigate({ search: { step: next } })
  const props = { preview, fields: fieldsOf(preview), draft, onDraft: setDraft, error: failure }
  return (
    <>
      <ImportSteps
        at={step}
        open={isReady ? ["columns", "look"] : ["columns"]}
        onStep={(next) => go(next === "look" ? "look" : "columns")}
      />
      {step === "columns" ? (
        <ColumnsStep {...props} onNext={() => go("look")} onReload={onReload} isReloading={isReloading} />
      ) : (
        <Suspense fallback={<Skeleton className="late" h={320} radius="lg" />}>
          <LookStep
            {...props}
            sessionId={sessionId}
            isPending={isPending}
            onBack={() => go("columns")}
            onStart={() => void start(preview)}
          />
        </Suspense>
      )}
    </>
  )
}

export const ImportSession = () => {
  const words = useWords("imports")
  const { sessionId } = useParams({ from: "/imports/sessions/$sessionId" })
  const params = { session_id: sessionId }
  // The AI is asked once: the answer stays until the person wants another.
  const found = useQuery({ ...queryOf("imports", "preview", { params }), staleTime: Infinity })
  return (
    <>
      <PageHeader
        above={<BackLink to="/imports" label={words.title} />}
        title={words.create}
        actions={<CurlButton call={["imports", "preview", { params }]} />}
      />
      {found.isPending && (
        <Stack gap="xs" role="status">
          <Text size="sm" c="dimmed">
            {words.reading}
          </Text>
          <Skeleton className="late" h={320} radius="lg" />
        </Stack>
      )}
      {found.isError && <Problem error={found.error} onRetry={found.refetch} />}
      {found.data !== undefined && (
        <OpenSession
          sessionId={sessionId}
          preview={found.data}
          isReloading={found.isFetching}
          onReload={() => void found.refetch()}
        />
      )}
    </>
  )
}
