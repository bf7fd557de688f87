// The live count of a builder's rules, and on request the count of each condition.
import type { Rule, RuleGroup, SegmentPreview } from "@tentpole/client"
import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query"
import type { RuleGroupType } from "react-querybuilder"
import { queryOf } from "../../api/queries.ts"
import { leavesOf, pathOf, toCondition } from "../ruleTree.ts"
import { isFinished, type Vocabulary } from "../vocabulary.ts"

/** How long the rules have to rest before they are counted. */
const rest_ms = 300

const previewOf = (rules: Rule) => queryOf("segments", "preview", { payload: { rules, explain: true } })

export interface LivePreview {
  readonly answer: UseQueryResult<SegmentPreview>
  /** The rules that `answer` is for. */
  readonly asked: RuleGroup
  /** The answer is that of the rules before. */
  readonly isStale: boolean
}

/** Counts when the rules have rested. A new request aborts the one before. Rules that are not finished are not sent. */
export const usePreview = (rules: RuleGroup, isComplete: boolean): LivePreview => {
  const [asked] = useDebouncedValue(rules, rest_ms)
  const isNow = asked === rules
  const answer = useQuery({
    ...previewOf(asked),
    enabled: isComplete && isNow,
    placeholderData: keepPreviousData,
  })
  return { answer, asked, isStale: !isComplete || !isNow || answer.isPlaceholderData }
}

/** Counts one after another, so that a hundred conditions are no burden. */
let last: Promise<unknown> = Promise.resolve()

const inTurn = <Value>(count: () => Promise<Value>): Promise<Value> => {
  const turn = last.then(count, count)
  last = turn
  return turn
}

/** The number of contacts that match each finished condition alone, by path; null while it is counted. */
export const useCounts = (
  query: RuleGroupType,
  vocabulary: Vocabulary,
  isOn: boolean,
): ReadonlyMap<string, number | null> => {
  const [rested] = useDebouncedValue(query, rest_ms)
  const leaves = isOn && rested === query ? leavesOf(query).filter(({ rule }) => isFinished(vocabulary, rule)) : []
  const counts = useQueries({
    queries: leaves.map(({ rule }) => {
      const { queryFn, queryKey } = queryOf("segments", "preview", { payload: { rules: toCondition(rule) as Rule } })
      return {
        queryKey,
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => inTurn(() => queryFn({ signal })),
        staleTime: 60_000,
      }
    }),
  })
  return new Map(leaves.map(({ path }, index) => [pathOf(path), counts[index]?.data?.count ?? null]))
}
