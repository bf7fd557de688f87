// A condition as a sentence, for filters and explanations: "City is Rome".
import type { RuleType } from "react-querybuilder"
import type { Words } from "../words/Words.tsx"
import type { TimeWindow } from "./ruleTree.ts"
import { partsOf, takesValue } from "./ruleTree.ts"
import { operatorLabel, type Vocabulary } from "./vocabulary.ts"

interface Texts {
  readonly words: Words["segments"]
  readonly number: (value: number) => string
  /** The name of a list, or null while it loads. */
  readonly listName: (listId: string) => string | null
  /** The same of a topic. */
  readonly topicName: (topicId: string) => string | null
}

const windowText = (value: unknown, { number, words }: Texts): string => {
  if (value === undefined || value === null) return words.everText
  const { amount, unit } = value as TimeWindow
  const units: Readonly<Record<string, string>> = words.units
  return words.inLast(number(amount), units[unit] ?? unit)
}

/** What a condition compares with; empty without a value. */
const valueText = ({ field, operator, value }: RuleType, vocabulary: Vocabulary, texts: Texts): string => {
  if (!takesValue(operator)) return ""
  const [source] = partsOf(field)
  if (source === "activity") return windowText(value, texts)
  if (source === "list_membership") return texts.listName(String(value)) ?? "…"
  if (source === "topic") return texts.topicName(String(value)) ?? "…"
  if (source === "email_step") return vocabulary.steps.find((step) => step.value === value)?.label ?? String(value)
  if (typeof value === "number") return texts.number(value)
  return Array.isArray(value) ? value.join(", ") : String(value ?? "")
}

export const ruleText = (rule: RuleType, vocabulary: Vocabulary, texts: Texts): string => {
  const field = vocabulary.byName.get(rule.field)
  if (field === undefined) return texts.words.unknownField
  const comparison = operatorLabel(texts.words, field.kind, rule.operator)
  return [field.label, comparison, valueText(rule, vocabulary, texts)].filter((part) => part !== "").join(" ")
}
