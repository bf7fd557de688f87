// Step 1: who gets the blast. A list that exists, or the contacts that match rules when sending begins.
import { Button, Group, Paper, SegmentedControl, Stack, Text } from "@mantine/core"
import type { Rule } from "@tentpole/client"
import { useMutation } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { api } from "../../api/client.ts"
import { useMutationOf } from "../../api/mutations.ts"
import { ListPicker } from "../../lists/ListPicker.tsx"
import { CodeEditor } from "../../parts/code/CodeEditor.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { NextStep, type StepProps } from "./NextStep.tsx"

const example_rules = `{
  "kind": "group",
  "operator": "and",
  "conditions": [
    { "kind": "condition", "source": "contact", "field": "city", "operator": "equals", "value": "Rome" }
  ]
}`

/** The rules of a text. The service checks what they say; null is no JSON. */
const rulesOf = (text: string): Rule | null => {
  try {
    return JSON.parse(text) as Rule
  } catch {
    return null
  }
}

const FromRules = ({ blastId }: { readonly blastId: string }) => {
  const words = useWords("blasts")
  const [text, setText] = useState(example_rules)
  const rules = rulesOf(text)
  const count = useMutation({
    mutationFn: (asked: Rule) => api.segments.preview({ payload: { rules: asked } }),
  })
  const set = useMutationOf("blasts", "setAudience", { done: () => words.audienceSet })
  const error = set.error ?? count.error
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {words.rulesText}
      </Text>
      <CodeEditor label={words.rules} value={text} onChange={setText} language="json" height_px={220} />
      {rules === null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {words.noJson}
        </Text>
      )}
      {error !== null && <Problem error={error} />}
      <Group gap="sm">
        <Button
          loading={set.isPending}
          disabled={rules === null}
          onClick={() => {
            if (rules === null) return
            set.mutate({ params: { blastId }, payload: { source: "inline", kind: "dynamic", rules } })
          }}
        >
          {words.useRules}
        </Button>
        <Button
          variant="default"
          loading={count.isPending}
          disabled={rules === null}
          onClick={() => {
            if (rules !== null) count.mutate(rules)
          }}
        >
          {words.countRules}
        </Button>
        <Text size="sm" role="status">
          {count.data === undefined ? "" : words.people(count.data.count)}
        </Text>
      </Group>
    </Stack>
  )
}

const FromList = ({ blast }: Pick<StepProps, "blast">) => {
  const words = useWords("blasts")
  const params = { blastId: blast.blast_id }
  const set = useMutationOf("blasts", "setAudience", { done: () => words.audienceSet })
  const list_id = blast.audience?.list_id ?? null
  return (
    <Stack gap="sm">
      <ListPicker
        label={words.list}
        value={list_id}
        chosenLabel={blast.audience?.name ?? null}
        onChange={(listId) => {
          if (listId !== null) set.mutate({ params, payload: { source: "existing", list_id: listId } })
        }}
      />
      {set.isError && <Problem error={set.error} />}
    </Stack>
  )
}

export const WhoStep = ({ blast, onStep }: StepProps) => {
  const words = useWords("blasts")
  const { audience, audience_source } = blast
  const [source, setSource] = useState<"existing" | "inline">(audience_source ?? "existing")
  const params = { blastId: blast.blast_id }
  return (
    <>
      <Paper p="md" maw={760}>
        <Stack>
          <Group justify="space-between">
            <SegmentedControl
              size="xs"
              aria-label={words.steps.who}
              value={source}
              data={[
                { value: "existing", label: words.existingList },
                { value: "inline", label: words.newFromRules },
              ]}
              onChange={(next) => setSource(next === "inline" ? "inline" : "existing")}
            />
            <CurlButton
              call={[
                "blasts",
                "setAudience",
                { params, payload: { source: "existing", list_id: audience?.list_id ?? words.exampleId } },
              ]}
            />
          </Group>
          {source === "existing" ? <FromList blast={blast} /> : <FromRules blastId={blast.blast_id} />}
          {audience !== null && (
            <Text size="sm">
              {words.chosenAudience}{" "}
              <Link to="/lists/$listId" params={{ listId: audience.list_id }} className="link inline">
                {audience.name}
              </Link>
              {audience.member_count !== null && ` · ${words.people(audience.member_count)}`}
            </Text>
          )}
        </Stack>
      </Paper>
      <NextStep next="what" isReady={audience !== null} onStep={onStep} />
    </>
  )
}
