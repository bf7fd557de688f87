// Sentences of conditions in the chosen language, with the names of lists.
import { useQueries } from "@tanstack/react-query"
import type { RuleType } from "react-querybuilder"
import { queryOf } from "../api/queries.ts"
import { useFormat } from "../format.ts"
import { useWords } from "../words/Words.tsx"
import { partsOf } from "./ruleTree.ts"
import { ruleText } from "./ruleText.ts"
import type { Vocabulary } from "./vocabulary.ts"

/** The sentence of each rule, in order. */
export const useRuleTexts = (rules: ReadonlyArray<RuleType>, vocabulary: Vocabulary): ReadonlyArray<string> => {
  const words = useWords("segments")
  const { number } = useFormat()
  const ids = [
    ...new Set(rules.flatMap(({ field, value }) => (partsOf(field)[0] === "list_membership" ? [String(value)] : []))),
  ]
  const lists = useQueries({ queries: ids.map((listId) => queryOf("lists", "find", { params: { listId } })) })
  const listName = (listId: string): string | null => {
    const found = lists[ids.indexOf(listId)]
    return found?.isError === true ? words.unknownList : (found?.data?.name ?? null)
  }
  return rules.map((rule) => ruleText(rule, vocabulary, { words, number, listName }))
}
