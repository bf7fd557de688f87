// The rules of a dynamic list: edited as a draft, saved as a whole.
import { Button, Group, Skeleton, Stack } from "@mantine/core"
import type { ContactList, RuleGroup } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useMutationOf } from "../api/mutations.ts"
import { problemOf } from "../api/problems.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { groupOf } from "../segments/ruleTree.ts"
import { SegmentEditor } from "../segments/SegmentEditor.tsx"
import { useAddress } from "../segments/useAddress.ts"
import { useRules } from "../segments/useRules.ts"
import { useVocabulary } from "../segments/useVocabulary.ts"
import type { Vocabulary } from "../segments/vocabulary.ts"
import { useSession } from "../session.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords } from "../words/Words.tsx"
import { ArchivedFields } from "./ArchivedFields.tsx"

interface Props {
  readonly list: ContactList
}

const storedRules = ({ rules }: ContactList): RuleGroup | null => (rules === null ? null : groupOf(rules))

/** Trees of the same rules have the same keys in the same order only by chance. */
const isSame = (left: RuleGroup | null, right: RuleGroup | null): boolean => sorted(left) === sorted(right)

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([left], [right]) => left.localeCompare(right)))
      : each,
  )

interface BarProps {
  readonly list: ContactList
  readonly rules: RuleGroup
  readonly isComplete: boolean
  readonly isPending: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
}

/** The draft is not stored yet. */
const DraftBar = ({ isComplete, isPending, list, onDiscard, onSave, rules }: BarProps) => {
  const words = useWords("segments")
  return (
    <Group justify="space-between" gap="xs">
      <StatusBadge tone="warning" label={words.unsaved} />
      <Group gap="xs">
        <CurlButton call={["lists", "edit", { params: { listId: list.list_id }, payload: { rules } }]} />
        <Button variant="default" onClick={onDiscard}>
          {words.discard}
        </Button>
        <Button disabled={!isComplete} loading={isPending} onClick={onSave}>
          {words.saveChanges}
        </Button>
      </Group>
    </Group>
  )
}

const OpenRules = ({ list, vocabulary }: Props & { readonly vocabulary: Vocabulary }) => {
  const words = useWords("segments")
  const { may } = useSession()
  const stored = storedRules(list)
  const { rules: draft } = useSearch({ from: "/lists/$listId" })
  const navigate = useNavigate({ from: "/lists/$listId" })
  const state = useRules(draft ?? stored, vocabulary)
  const edit = useMutationOf("lists", "edit", { done: () => words.saved })
  const mayEdit = may("editor")
  const isComplete = state.unfinished.length === 0
  const isChanged = stored === null ? state.query.rules.length > 0 : !isSame(state.rules, stored)
  useAddress({
    asked: draft ?? null,
    rules: !isChanged ? null : isComplete ? state.rules : (draft ?? null),
    write: (rules) =>
      void navigate({
        search: ({ rules: _, ...rest }) => ({ ...rest, ...(rules === null ? {} : { rules }) }),
        replace: true,
      }),
    onOutside: (rules) => state.replace(rules ?? stored),
  })
  const save = () => edit.mutate({ params: { listId: list.list_id }, payload: { rules: state.rules } })
  useKeys(mayEdit && isChanged && isComplete ? { "mod+S": save } : {})
  const isAtRows = problemOf(edit.error).issues.some(({ path }) => path.includes("conditions."))
  return (
    <Stack gap="md">
      {isChanged && mayEdit && (
        <DraftBar
          list={list}
          rules={state.rules}
          isComplete={isComplete}
          isPending={edit.isPending}
          onSave={save}
          onDiscard={() => state.replace(stored)}
        />
      )}
      {edit.isError && !isAtRows && <Problem error={edit.error} />}
      <SegmentEditor state={state} vocabulary={vocabulary} error={edit.error} />
    </Stack>
  )
}

export const ListRules = ({ list }: Props) => {
  const stored = storedRules(list)
  const { rules } = useSearch({ from: "/lists/$listId" })
  const { error, refetch, vocabulary } = useVocabulary(rules ?? stored)
  if (error !== null) return <Problem error={error} onRetry={refetch} />
  return (
    <Stack gap="md">
      <ArchivedFields list={list} />
      {vocabulary === null ? (
        <Skeleton className="late" h={320} radius="lg" />
      ) : (
        <OpenRules list={list} vocabulary={vocabulary} />
      )}
    </Stack>
  )
}
