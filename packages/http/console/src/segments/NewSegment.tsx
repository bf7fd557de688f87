// The screen of a new segment: rules that are tried before they become a dynamic list.
import { Button, Skeleton } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { BackLink } from "../parts/BackLink.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useSession } from "../session.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords } from "../words/Words.tsx"
import { SegmentEditor } from "./SegmentEditor.tsx"
import { useAddress } from "./useAddress.ts"
import { useRules } from "./useRules.ts"
import { useVocabulary } from "./useVocabulary.ts"
import type { Vocabulary } from "./vocabulary.ts"

const NewList = lazy(async () => ({ default: (await import("../lists/NewList.tsx")).NewList }))

const Head = ({ onSave }: { readonly onSave: (() => void) | null }) => {
  const words = useWords("segments")
  const { title } = useWords("lists")
  const { may } = useSession()
  return (
    <PageHeader
      above={<BackLink to="/lists" label={title} />}
      title={words.newTitle}
      text={words.newText}
      actions={
        may("editor") && (
          <Button disabled={onSave === null} onClick={() => onSave?.()}>
            {words.save}
          </Button>
        )
      }
    />
  )
}

const OpenSegment = ({ vocabulary }: { readonly vocabulary: Vocabulary }) => {
  const { rules } = useSearch({ from: "/lists/new" })
  const navigate = useNavigate({ from: "/lists/new" })
  const { may } = useSession()
  const [isSaving, setSaving] = useState(false)
  const state = useRules(rules ?? null, vocabulary)
  const isComplete = state.unfinished.length === 0
  const asked = rules ?? null
  useAddress({
    asked,
    rules: state.query.rules.length === 0 ? null : isComplete ? state.rules : asked,
    write: (next) => void navigate({ search: next === null ? {} : { rules: next }, replace: true }),
    onOutside: state.replace,
  })
  const save = isComplete && may("editor") ? () => setSaving(true) : null
  useKeys(save === null ? {} : { "mod+S": save })
  return (
    <>
      <Head onSave={save} />
      <SegmentEditor state={state} vocabulary={vocabulary} />
      <Suspense fallback={null}>
        {isSaving && <NewList rules={state.rules} onClose={() => setSaving(false)} />}
      </Suspense>
    </>
  )
}

export const NewSegment = () => {
  const { rules } = useSearch({ from: "/lists/new" })
  const { error, refetch, vocabulary } = useVocabulary(rules ?? null)
  if (vocabulary !== null) return <OpenSegment vocabulary={vocabulary} />
  return (
    <>
      <Head onSave={null} />
      {error === null ? <Skeleton className="late" h={320} radius="lg" /> : <Problem error={error} onRetry={refetch} />}
    </>
  )
}
