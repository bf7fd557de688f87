// An audience by rules: the contacts that match when sending begins. The blast gets a dynamic list of its own.
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core"
import type { Blast, RuleGroup } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { groupOf } from "../../segments/ruleTree.ts"
import { SegmentEditor } from "../../segments/SegmentEditor.tsx"
import { useRules } from "../../segments/useRules.ts"
import { useVocabulary } from "../../segments/useVocabulary.ts"
import type { Vocabulary } from "../../segments/vocabulary.ts"
import { useWords } from "../../words/Words.tsx"

interface Props {
  readonly blast: Blast
}

interface OpenProps extends Props {
  readonly stored: RuleGroup | null
  readonly vocabulary: Vocabulary
}

const OpenRules = ({ blast, stored, vocabulary }: OpenProps) => {
  const words = useWords("blasts")
  const state = useRules(stored, vocabulary)
  const set = useMutationOf("blasts", "setAudience", { done: () => words.audienceSet })
  const { rules } = state
  const request = {
    params: { blastId: blast.blast_id },
    payload: { source: "inline", kind: "dynamic", rules },
  } as const
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {words.rulesText}
        </Text>
        <Group gap="xs">
          <CurlButton call={["blasts", "setAudience", request]} />
          <Button
            loading={set.isPending}
            disabled={state.query.rules.length === 0 || state.unfinished.length > 0}
            onClick={() => set.mutate(request)}
          >
            {words.useRules}
          </Button>
        </Group>
      </Group>
      {set.isError && <Problem error={set.error} />}
      <SegmentEditor state={state} vocabulary={vocabulary} error={set.error} />
    </Stack>
  )
}

export const RulesAudience = ({ blast }: Props) => {
  const listId = blast.audience_source === "inline" ? (blast.audience?.list_id ?? null) : null
  const list = useQuery({
    ...queryOf("lists", "find", { params: { listId: listId ?? "" } }),
    enabled: listId !== null,
  })
  const rules = list.data?.rules ?? null
  const stored = rules === null ? null : groupOf(rules)
  const { error, refetch, vocabulary } = useVocabulary(stored)
  if (list.isError) return <Problem error={list.error} onRetry={list.refetch} />
  if (error !== null) return <Problem error={error} onRetry={refetch} />
  if (vocabulary === null || list.isLoading) return <Skeleton className="late" h={320} radius="lg" />
  return <OpenRules blast={blast} stored={stored} vocabulary={vocabulary} />
}
