// Step 1: who gets the blast. A list that exists, or the contacts that match rules when sending begins.
import { Group, Paper, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { ListPicker } from "../../lists/ListPicker.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { TopicSelect } from "../../topics/TopicSelect.tsx"
import { useWords } from "../../words/Words.tsx"
import { NextStep, type StepProps } from "./NextStep.tsx"

const RulesAudience = lazy(async () => ({ default: (await import("./RulesAudience.tsx")).RulesAudience }))

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

/** The topic whose subscribers get it: of the audience, those that are subscribed. */
const Topic = ({ blast: { blast_id, topic_id } }: Pick<StepProps, "blast">) => {
  const words = useWords("blasts")
  const edit = useMutationOf("blasts", "update", { done: () => words.topicSet })
  return (
    <Stack gap="sm">
      <TopicSelect
        label={words.topic}
        description={words.topicText}
        none={words.noTopic}
        disabled={edit.isPending}
        value={edit.isPending ? (edit.variables.payload?.topic_id ?? null) : topic_id}
        onChange={(next) => edit.mutate({ params: { blastId: blast_id }, payload: { topic_id: next } })}
      />
      {edit.isError && <Problem error={edit.error} />}
    </Stack>
  )
}

export const WhoStep = ({ blast, onStep }: StepProps) => {
  const words = useWords("blasts")
  const { audience, audience_source } = blast
  const [source, setSource] = useState<"existing" | "inline">(audience_source ?? "existing")
  const params = { blastId: blast.blast_id }
  return (
    <Stack gap="md" mb="md">
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
            {source === "existing" && (
              <CurlButton
                call={[
                  "blasts",
                  "setAudience",
                  { params, payload: { source: "existing", list_id: audience?.list_id ?? words.exampleId } },
                ]}
              />
            )}
          </Group>
          {source === "existing" && <FromList blast={blast} />}
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
      {source === "inline" && (
        <Suspense fallback={<Skeleton className="late" h={320} radius="lg" />}>
          <RulesAudience blast={blast} />
        </Suspense>
      )}
      <Paper p="md" maw={760}>
        <Topic blast={blast} />
      </Paper>
      <NextStep next="what" isReady={audience !== null} onStep={onStep} />
    </Stack>
  )
}
