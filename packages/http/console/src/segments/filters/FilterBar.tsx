// Filters of a table of contacts: conditions of rules as chips, edited in the builder below them.
import { Button, Group, Paper, Pill, Skeleton, Text } from "@mantine/core"
import type { RuleGroup } from "@tentpole/client"
import { useNavigate } from "@tanstack/react-router"
import type { RuleGroupType, RuleType } from "react-querybuilder"
import { Problem } from "../../parts/Problem.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { RuleBuilder } from "../builder/RuleBuilder.tsx"
import { isQueryGroup, leavesOf, pathOf, toRules } from "../ruleTree.ts"
import { useAddress } from "../useAddress.ts"
import { type RulesState, useRules } from "../useRules.ts"
import { useRuleTexts } from "../useRuleTexts.ts"
import { useVocabulary } from "../useVocabulary.ts"
import { finishedOf, isFinished, type Vocabulary } from "../vocabulary.ts"

interface Props {
  /** The filter of the address. */
  readonly rules: RuleGroup | null
  readonly onRules: (rules: RuleGroup | null) => void
  /** Whether the builder is shown. */
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
}

interface Chip {
  readonly id: string
  readonly index: number
  readonly text: string
}

/** A text for each part of the root: a group is the texts of its conditions. */
const useChips = ({ query }: RulesState, vocabulary: Vocabulary): ReadonlyArray<Chip> => {
  const words = useWords("segments")
  const leaves = leavesOf(query).filter(({ rule }) => isFinished(vocabulary, rule))
  const texts = useRuleTexts(
    leaves.map(({ rule }) => rule),
    vocabulary,
  )
  const byPath = new Map(leaves.map(({ path }, index) => [pathOf(path), texts[index] ?? ""]))
  const textOf = (node: RuleGroupType | RuleType, path: ReadonlyArray<number>): string => {
    if (!isQueryGroup(node)) return byPath.get(pathOf(path)) ?? ""
    const parts = node.rules.map((each, index) => textOf(each, [...path, index])).filter((text) => text !== "")
    const joined = node.combinator === "or" ? words.or(parts) : words.and(parts)
    return parts.length > 1 && path.length > 1 ? `(${joined})` : joined
  }
  return query.rules.flatMap((node, index) => {
    const text = textOf(node, [index])
    return text === "" ? [] : [{ id: node.id ?? String(index), index, text }]
  })
}

const Chips = ({ isOpen, onOpen, state, vocabulary }: Pick<Props, "isOpen" | "onOpen"> & Open) => {
  const words = useWords("segments")
  const { may } = useSession()
  const navigate = useNavigate()
  const { query, rules, unfinished } = state
  const chips = useChips(state, vocabulary)
  const remove = (at: number) => state.change({ ...query, rules: query.rules.filter((_, index) => index !== at) })
  return (
    <Group gap={6} role="group" aria-label={words.filters}>
      {chips.length > 1 && (
        <Text size="xs" c="dimmed">
          {query.combinator === "or" ? words.any : words.all}
        </Text>
      )}
      {chips.map(({ id, index, text }) => (
        <Pill
          key={id}
          size="md"
          className="chip"
          withRemoveButton
          removeButtonProps={{ "aria-label": words.removeFilter(text), "aria-hidden": false, tabIndex: 0 }}
          onRemove={() => remove(index)}
        >
          <button type="button" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
            {text}
          </button>
        </Pill>
      ))}
      {query.rules.length > 0 && (
        <>
          {may("editor") && unfinished.length === 0 && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => void navigate({ to: "/lists/new", search: { rules } })}
            >
              {words.saveFilter}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            onClick={() => {
              state.replace(null)
              onOpen(false)
            }}
          >
            {words.clearFilters}
          </Button>
        </>
      )}
    </Group>
  )
}

interface Open {
  readonly state: RulesState
  readonly vocabulary: Vocabulary
}

const OpenBar = ({ isOpen, onOpen, onRules, rules, vocabulary }: Props & Pick<Open, "vocabulary">) => {
  const words = useWords("segments")
  const state = useRules(rules, vocabulary)
  // Rows that are not finished are no filter yet. A filter without changes stays as it was sent.
  const finished = finishedOf(vocabulary, state.query)
  useAddress({
    asked: rules,
    rules: state.undo === null ? rules : finished.rules.length === 0 ? null : toRules(finished),
    write: onRules,
    onOutside: (next) => {
      state.replace(next)
      if (next === null) onOpen(false)
    },
  })
  return (
    <>
      <Chips isOpen={isOpen} onOpen={onOpen} state={state} vocabulary={vocabulary} />
      {isOpen && (
        <Paper p="sm" mt="xs" component="section" aria-label={words.filters}>
          <RuleBuilder query={state.query} onChange={state.change} vocabulary={vocabulary} />
          <Group justify="flex-end" mt="xs">
            <Button size="compact-sm" variant="default" onClick={() => onOpen(false)}>
              {words.closeFilters}
            </Button>
          </Group>
        </Paper>
      )}
    </>
  )
}

export const FilterBar = (props: Props) => {
  const { error, refetch, vocabulary } = useVocabulary(props.rules)
  return (
    <div className="filters">
      {error !== null && <Problem error={error} onRetry={refetch} />}
      {vocabulary !== null && <OpenBar {...props} vocabulary={vocabulary} />}
      {vocabulary === null && error === null && <Skeleton className="late" h={28} w={260} />}
    </div>
  )
}
