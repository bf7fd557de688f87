// The builder of rules and their JSON. It brings the library of the builder and is loaded on demand.
import { SegmentedControl, Skeleton } from "@mantine/core"
import type { RuleGroup, StepRule, StepRuleGroup } from "@tentpole/client"
import { useEffect, useRef, useState } from "react"
import { Problem } from "../../parts/Problem.tsx"
import { RuleBuilder } from "../../segments/builder/RuleBuilder.tsx"
import { RulesJson } from "../../segments/RulesJson.tsx"
import { useRules } from "../../segments/useRules.ts"
import { useUndoKeys } from "../../segments/useUndoKeys.ts"
import { useVocabulary } from "../../segments/useVocabulary.ts"
import type { StepChoice, Vocabulary } from "../../segments/vocabulary.ts"
import { useWords } from "../../words/Words.tsx"
import { groupOfRule } from "./rules.ts"

export interface Rules {
  /** Null: there are no conditions. */
  readonly rules: StepRule | null
  readonly isFinished: boolean
}

interface Props {
  readonly first: StepRule | null
  /** The emails that conditions may ask about. */
  readonly steps: ReadonlyArray<StepChoice>
  readonly isReadOnly: boolean
  readonly onChange: (rules: Rules) => void
}

interface LoadedProps extends Pick<Props, "isReadOnly" | "onChange"> {
  readonly first: StepRuleGroup | null
  readonly vocabulary: Vocabulary
}

const noSteps = { undo: null, redo: null }

const Loaded = ({ first, isReadOnly, onChange, vocabulary }: LoadedProps) => {
  const words = useWords("segments")
  const [view, setView] = useState("builder")
  // The builder of audiences has the same trees, without conditions on emails of a flow.
  const state = useRules(first as RuleGroup | null, vocabulary)
  const { change, query, replace, rules, unfinished } = state
  const place = useUndoKeys(isReadOnly ? noSteps : state)
  const report = useRef(onChange)
  useEffect(() => {
    report.current = onChange
  })
  useEffect(() => {
    const isEmpty = query.rules.length === 0
    report.current({ rules: isEmpty ? null : rules, isFinished: isEmpty || unfinished.length === 0 })
  }, [query, rules, unfinished])
  return (
    <div>
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label={words.rules}
        value={view}
        data={[
          { value: "builder", label: words.views.builder },
          { value: "json", label: words.views.json },
        ]}
        onChange={setView}
      />
      {view === "json" ? (
        <RulesJson rules={rules} vocabulary={vocabulary} isReadOnly={isReadOnly} onRules={replace} />
      ) : (
        <div ref={place}>
          <RuleBuilder query={query} onChange={change} vocabulary={vocabulary} isReadOnly={isReadOnly} />
        </div>
      )}
    </div>
  )
}

export const RulesForm = ({ first, steps, ...rest }: Props) => {
  const [group] = useState(() => (first === null ? null : groupOfRule(first)))
  const { error, refetch, vocabulary } = useVocabulary(group, steps)
  if (vocabulary !== null) return <Loaded {...rest} first={group} vocabulary={vocabulary} />
  return error === null ? <Skeleton h={160} /> : <Problem error={error} onRetry={refetch} />
}
