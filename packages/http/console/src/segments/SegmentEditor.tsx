// The editor of rules: builder or JSON on one side, on the other who matches now and why. The screen owns the rules.
import { ActionIcon, Button, Group, Paper, SegmentedControl, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { problemOf } from "../api/problems.ts"
import { queryOf } from "../api/queries.ts"
import { nameOf } from "../contacts/person.ts"
import { useFormat } from "../format.ts"
import { ChartIcon, RedoIcon, UndoIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { useWords } from "../words/Words.tsx"
import { RuleBuilder } from "./builder/RuleBuilder.tsx"
import type { Mark, Marks } from "./builder/rows.ts"
import { Matches } from "./matches/Matches.tsx"
import { type Tried, TryPerson } from "./matches/TryPerson.tsx"
import { useCounts, usePreview } from "./matches/usePreview.ts"
import { levelsIn, nodesIn, placeOfIssue } from "./ruleTree.ts"
import { RulesJson } from "./RulesJson.tsx"
import type { RulesState } from "./useRules.ts"
import { useUndoKeys } from "./useUndoKeys.ts"
import type { Vocabulary } from "./vocabulary.ts"

interface Props {
  readonly state: RulesState
  readonly vocabulary: Vocabulary
  readonly isReadOnly?: boolean
  /** The refusal of a save, whose issues are shown at their rows. */
  readonly error?: unknown
}

const marksOf = (
  errors: ReadonlyArray<unknown>,
  counts: ReadonlyMap<string, number | null>,
  held: ReadonlyMap<string, boolean>,
): Marks => {
  const marks = new Map<string, Mark>()
  const add = (path: string, mark: Mark) => marks.set(path, { ...marks.get(path), ...mark })
  for (const { message, path } of errors.flatMap((error) => (error === null ? [] : problemOf(error).issues))) {
    const at = placeOfIssue(path)
    const before = marks.get(at)?.issues ?? []
    if (at !== "" && !before.includes(message)) add(at, { issues: [...before, message] })
  }
  for (const [path, count] of counts) add(path, { count })
  for (const [path, is] of held) add(path, { held: is })
  return marks
}

interface ToolsProps extends Pick<Props, "state" | "vocabulary"> {
  readonly view: "builder" | "json"
  readonly onView: (view: "builder" | "json") => void
  readonly isCounting: boolean
  readonly onCounting: () => void
  readonly isReadOnly: boolean
}

const Tools = ({ isCounting, isReadOnly, onCounting, onView, state, view }: ToolsProps) => {
  const words = useWords("segments")
  return (
    <Group justify="space-between" mb="sm" gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={words.rules}
        value={view}
        data={[
          { value: "builder", label: words.views.builder },
          { value: "json", label: words.views.json },
        ]}
        onChange={(next) => onView(next === "json" ? "json" : "builder")}
      />
      <Group gap={6}>
        {view === "builder" && (
          <Button
            size="compact-sm"
            variant={isCounting ? "light" : "default"}
            leftSection={<ChartIcon size={15} />}
            aria-pressed={isCounting}
            onClick={onCounting}
          >
            {words.counts}
          </Button>
        )}
        {!isReadOnly && view === "builder" && (
          <>
            <ActionIcon
              variant="default"
              aria-label={words.undo}
              title={words.undo}
              disabled={state.undo === null}
              onClick={() => state.undo?.()}
            >
              <UndoIcon size={16} />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={words.redo}
              title={words.redo}
              disabled={state.redo === null}
              onClick={() => state.redo?.()}
            >
              <RedoIcon size={16} />
            </ActionIcon>
          </>
        )}
        <CurlButton call={["segments", "preview", { payload: { rules: state.rules, explain: true } }]} />
      </Group>
    </Group>
  )
}

/** Beside it, where the other side is below the builder, the count of matches. */
const Size = ({
  count,
  state,
  vocabulary,
}: Pick<Props, "state" | "vocabulary"> & { readonly count: number | null }) => {
  const words = useWords("segments")
  const { number } = useFormat()
  const { max_depth, max_nodes } = vocabulary.metadata.limits
  const [nodes, levels] = [nodesIn(state.query), levelsIn(state.query)].map(number)
  return (
    <Group justify="space-between" gap="xs" className="rule-foot">
      <Text size="xs" c="dimmed">
        {words.size(nodes ?? "", number(max_nodes), levels ?? "", number(max_depth))}
      </Text>
      {count !== null && (
        <Text size="sm" fw={600} className="match-line">
          {words.count(count)}
        </Text>
      )}
    </Group>
  )
}

const noSteps = { undo: null, redo: null }

export const SegmentEditor = ({ error = null, isReadOnly = false, state, vocabulary }: Props) => {
  const words = useWords("segments")
  const { query, rules, unfinished } = state
  const [view, setView] = useState<"builder" | "json">("builder")
  const [isCounting, setCounting] = useState(false)
  const [tried, setTried] = useState<Tried | null>(null)
  const builder = useUndoKeys(isReadOnly ? noSteps : state)
  const isEmpty = query.rules.length === 0
  const isComplete = unfinished.length === 0
  const preview = usePreview(rules, isComplete)
  const counts = useCounts(query, vocabulary, isCounting)
  const explanation = useQuery({
    ...queryOf("segments", "explain", {
      params: { contact_id: tried?.contactId ?? "" },
      payload: { rules: preview.asked },
    }),
    enabled: tried !== null && isComplete && !preview.isStale && preview.answer.error === null,
  })
  const explained = explanation.data?.conditions
  const marks = useMemo(() => {
    const held = new Map((explained ?? []).map(({ held: is, path }) => [path, is]))
    return marksOf([error, isComplete ? preview.answer.error : null], counts, held)
  }, [error, isComplete, preview.answer.error, counts, explained])
  return (
    <div className="segment">
      <Paper p="md" component="section" aria-label={words.rules}>
        <Tools
          state={state}
          vocabulary={vocabulary}
          view={view}
          onView={setView}
          isCounting={isCounting}
          onCounting={() => setCounting(!isCounting)}
          isReadOnly={isReadOnly}
        />
        {view === "json" ? (
          <RulesJson rules={rules} vocabulary={vocabulary} isReadOnly={isReadOnly} onRules={state.replace} />
        ) : (
          <div ref={builder}>
            <RuleBuilder
              query={query}
              onChange={state.change}
              vocabulary={vocabulary}
              marks={marks}
              isReadOnly={isReadOnly}
            />
          </div>
        )}
        <Size
          state={state}
          vocabulary={vocabulary}
          count={isEmpty || preview.isStale ? null : (preview.answer.data?.count ?? null)}
        />
      </Paper>
      <Stack gap="md">
        <Matches
          preview={preview}
          unfinished={isEmpty ? 0 : unfinished.length}
          isEmpty={isEmpty}
          onTry={(contact) => setTried({ contactId: contact.contact_id, name: nameOf(contact) })}
        />
        <TryPerson tried={tried} onTried={setTried} explanation={explanation} vocabulary={vocabulary} />
      </Stack>
    </div>
  )
}
