// Sentences of conditions in the chosen language, with the names of lists and topics.
import { useQueries } from "@tanstack/react-query"
import type { RuleType } from "react-querybuilder"
import { queryOf } from "../api/queries.ts"
import { useFormat } from "../format.ts"
import { useWords } from "../words/Words.tsx"
import { partsOf } from "./ruleTree.ts"
import { ruleText } from "./ruleText.ts"
import type { Vocabulary } from "./vocabulary.ts"

/** The ids that conditions of a source compare with. */
const idsIn = (rules: ReadonlyArray<RuleType>, source: string): ReadonlyArray<string> => [
  ...new Set(rules.flatMap(({ field, value }) => (partsOf(field)[0] === source ? [String(value)] : []))),
]

/** The sentence of each rule, in order. */
export const useRuleTexts = (rules: ReadonlyArray<RuleType>, vocabulary: Vocabulary): ReadonlyArray<string> => {
  const words = useWords("segments")
  const { number } = useFormat()
  const lists = useQueries({
    queries: idsIn(rules, "list_membership").map((listId) => queryOf("lists", "find", { params: { listId } })),
  })
  const topics = useQueries({
    queries: idsIn(rules, "topic").map((topicId) => queryOf("topics", "find", { params: { topicId } })),
  })
  const listName = (listId: string): string | null => {
    const found = lists[idsIn(rules, "list_membership").indexOf(listId)]
    return found?.isError === true ? words.unknownList : (found?.data?.name ?? null)
  }
  const topicName = (topicId: string): string | null => {
    const found = topics[idsIn(rules, "topic").indexOf(topicId)]
    return found?.isError === true ? words.unknownTopic : (found?.data?.name ?? null)
  }
  return rules.map((rule) => ruleText(rule, vocabulary, { words, number, listName, topicName }))
}
