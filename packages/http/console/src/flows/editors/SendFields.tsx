// The fields of a step that sends an email: an approved one, or the one that another step makes for each member.
import { Anchor, Button, Group, NativeSelect, SegmentedControl, Stack, Text } from "@mantine/core"
import type { Email } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Suspense } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { StateBadge } from "../../emails/StateBadge.tsx"
import { PlusIcon } from "../../Icons.tsx"
import { choices_max } from "../../parts/fields/Picker.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { TopicSelect } from "../../topics/TopicSelect.tsx"
import { useWords } from "../../words/Words.tsx"
import { useEditing } from "../draft/editing.tsx"
import type { Step } from "../draft/steps.ts"
import { useTexts } from "../parts/texts.ts"
import { FlagPart, useStepFields, WayPart } from "./fields.tsx"
import { PickerPart } from "./PickerPart.tsx"

type Send = Extract<Step, { readonly type: "send_email" }>

/** The state of the chosen email, and the way to it. */
const Chosen = ({ emailId }: { readonly emailId: string }) => {
  const words = useWords("flows")
  const found = useQuery(queryOf("emails", "find", { params: { emailId } }))
  if (found.data === undefined) return null
  const email: Email = found.data
  return (
    <Group justify="space-between" gap="xs">
      <StateBadge of={email} />
      <Anchor component={Link} to={`/emails/${emailId}`} size="sm">
        {words.openEmail}
      </Anchor>
    </Group>
  )
}

/** Makes an empty email for the step. It is written on its own screen. */
const NewEmailButton = ({ onDone, step }: { readonly step: Send; readonly onDone: (emailId: string) => void }) => {
  const words = useWords("flows")
  const { flow } = useEditing()
  const name = `${flow.name}: ${step.label ?? words.stepTypes.send_email}`.slice(0, 200)
  const create = useMutationOf("emails", "create", {
    done: () => words.emailCreated(name),
    onDone: ({ email_id }) => onDone(email_id),
  })
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<PlusIcon size={14} />}
        loading={create.isPending}
        onClick={() => create.mutate({ payload: { name } })}
      >
        {words.newEmail}
      </Button>
      {create.isError && <Problem error={create.error} />}
    </>
  )
}

const TopicPart = ({ step }: { readonly step: Send }) => {
  const words = useWords("flows")
  const of = useStepFields(step)
  return (
    <TopicSelect
      label={words.fields.topic_id}
      description={words.topicText}
      none={words.noTopic}
      disabled={of.isReadOnly}
      error={of.errorOf("topic_id")}
      value={step.topic_id ?? null}
      onChange={(topic_id) => of.set({ topic_id })}
    />
  )
}

export const SendFields = ({ step }: { readonly step: Send }) => {
  const words = useWords("flows")
  const { names, structure } = useEditing()
  const { titleOf } = useTexts(structure, names)
  const of = useStepFields(step)
  const isMade = step.email_source === "flow_step"
  const emailId = step.email_id ?? null
  const makers = structure.steps.filter(({ type }) => type === "create_email")
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label={words.emailSource}
        readOnly={of.isReadOnly}
        value={isMade ? "flow_step" : "existing"}
        data={[
          { value: "existing", label: words.emailSources.existing },
          { value: "flow_step", label: words.emailSources.flow_step },
        ]}
        onChange={(email_source) => of.set({ email_source })}
      />
      {isMade ? (
        <NativeSelect
          label={words.fields.create_email_step_id}
          description={makers.length === 0 ? words.noMaker : undefined}
          disabled={of.isReadOnly}
          value={step.create_email_step_id ?? ""}
          error={of.errorOf("create_email_step_id")}
          data={[
            { value: "", label: words.chooseStep },
            ...makers.map((each) => ({ value: each.step_id, label: titleOf(each) })),
          ]}
          onChange={({ currentTarget }) =>
            of.set({ create_email_step_id: currentTarget.value === "" ? null : currentTarget.value })
          }
        />
      ) : (
        <>
          <PickerPart
            of={of}
            name="email_id"
            label={words.fields.email_id}
            source={(search) =>
              queryOf("emails", "list", { query: { limit: choices_max, ...(search === "" ? {} : { search }) } })
            }
            choicesOf={({ emails }) =>
              emails.map(({ email_id, name, subject }) => ({ value: email_id, label: name, detail: subject }))
            }
          />
          {emailId === null ? (
            !of.isReadOnly && <NewEmailButton step={step} onDone={(email_id) => of.set({ email_id })} />
          ) : (
            <Suspense fallback={null}>
              <Chosen emailId={emailId} />
            </Suspense>
          )}
        </>
      )}
      <FlagPart of={of} name="operational" label={words.fields.operational} description={words.operationalText} />
      <TopicPart step={step} />
      <WayPart step={step} way="next" label={words.next} otherwise={words.ends} />
      {isMade && (
        <Text size="xs" c="dimmed">
          {words.madeText}
        </Text>
      )}
    </Stack>
  )
}
