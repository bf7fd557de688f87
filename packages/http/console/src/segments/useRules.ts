// The state of a builder: its query with undo, its rules, and what is not finished.
import type { RuleGroup } from "@tentpole/client"
import { useCallback, useMemo, useState } from "react"
import { prepareRuleGroup, type RuleGroupType } from "react-querybuilder"
import { changed, historyOf, redone, undone } from "./history.ts"
import { changedCondition, emptyQuery, fromTree, toRules } from "./ruleTree.ts"
import { unfinishedIn, type Vocabulary } from "./vocabulary.ts"

/** The query of a tree, with ids for the rows of the builder. */
export const queryOfRules = (rules: RuleGroup | null): RuleGroupType =>
  prepareRuleGroup(rules === null ? emptyQuery : fromTree(rules))

export interface RulesState {
  readonly query: RuleGroupType
  /** What the query says now. Finished if `unfinished` is empty. */
  readonly rules: RuleGroup
  readonly unfinished: ReadonlyArray<string>
  readonly change: (query: RuleGroupType) => void
  readonly replace: (rules: RuleGroup | null) => void
  readonly undo: (() => void) | null
  readonly redo: (() => void) | null
}

export const useRules = (first: RuleGroup | null, vocabulary: Vocabulary): RulesState => {
  const [history, setHistory] = useState(() => historyOf(queryOfRules(first)))
  const { future, past, present } = history
  const change = useCallback(
    (next: RuleGroupType) =>
      setHistory((before) => changed(before, next, changedCondition(before.present, next), Date.now())),
    [],
  )
  return {
    query: present,
    rules: useMemo(() => toRules(present), [present]),
    unfinished: useMemo(() => unfinishedIn(vocabulary, present), [vocabulary, present]),
    change,
    replace: (rules) => change(queryOfRules(rules)),
    undo: past.length === 0 ? null : () => setHistory(undone),
    redo: future.length === 0 ? null : () => setHistory(redone),
  }
}
