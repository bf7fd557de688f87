// The vocabulary of rules for a screen: metadata of the service, words, and archived fields that the rules name.
import type { StepRuleGroup } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { queryOf } from "../api/queries.ts"
import { useWords } from "../words/Words.tsx"
import { fromTree } from "./ruleTree.ts"
import { type StepChoice, unknownFieldsIn, type Vocabulary, vocabularyOf } from "./vocabulary.ts"

const noSteps: ReadonlyArray<StepChoice> = []

interface Loaded {
  /** Null while it loads, and after a failure. */
  readonly vocabulary: Vocabulary | null
  readonly error: unknown
  readonly refetch: () => unknown
}

/** `rules`: those that are shown first. `steps`: the emails of a flow, for its condition steps. */
export const useVocabulary = (rules: StepRuleGroup | null, steps: ReadonlyArray<StepChoice> = noSteps): Loaded => {
  const segments = useWords("segments")
  const contacts = useWords("contacts")
  const metadata = useQuery(queryOf("contactFields", "ruleMetadata"))
  const { data } = metadata
  const hasUnknown = data !== undefined && rules !== null && unknownFieldsIn(data, fromTree(rules)).length > 0
  const archived = useQuery({
    ...queryOf("contactFields", "list", { query: { status: "archived" } }),
    enabled: hasUnknown,
  })
  const old = archived.data?.items
  const isReady = data !== undefined && (!hasUnknown || old !== undefined)
  const vocabulary = useMemo(
    () => (isReady && data !== undefined ? vocabularyOf(data, { contacts, segments }, old, steps) : null),
    [isReady, data, contacts, segments, old, steps],
  )
  const failed = metadata.isError ? metadata : archived
  return { vocabulary, error: failed.error, refetch: failed.refetch }
}
