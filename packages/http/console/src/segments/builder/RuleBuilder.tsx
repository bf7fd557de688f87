// The builder of rules: groups and conditions, with a control for each part. Screens load it on demand.
import { QueryBuilder, type RuleGroupType } from "react-querybuilder"
import { useMemo } from "react"
import { nodesIn } from "../ruleTree.ts"
import type { Vocabulary } from "../vocabulary.ts"
import { RuleBox } from "./RuleBox.tsx"
import { RuleRow } from "./RuleRow.tsx"
import { type Marks, RowsProvider } from "./rows.ts"

interface Props {
  readonly query: RuleGroupType
  readonly onChange: (query: RuleGroupType) => void
  readonly vocabulary: Vocabulary
  readonly marks?: Marks
  readonly isReadOnly?: boolean
}

const controlElements = { rule: RuleRow, ruleGroup: RuleBox }
const noMarks: Marks = new Map()

export const RuleBuilder = ({ isReadOnly = false, marks = noMarks, onChange, query, vocabulary }: Props) => {
  const nodes = nodesIn(query)
  const rows = useMemo(() => ({ vocabulary, marks, nodes, isReadOnly }), [vocabulary, marks, nodes, isReadOnly])
  const fields = useMemo(
    () => [...vocabulary.byName.values()].map(({ label, name }) => ({ name, label })),
    [vocabulary],
  )
  return (
    <RowsProvider value={rows}>
      <QueryBuilder
        query={query}
        onQueryChange={onChange}
        fields={fields}
        controlElements={controlElements}
        enableMountQueryChange={false}
        autoSelectField={false}
        resetOnFieldChange={false}
        suppressStandardClassnames
      />
    </RowsProvider>
  )
}
