// The editor of a trigger: its type, and the fields of that type.
import { NativeSelect, Stack, Text } from "@mantine/core"
import { queryOf } from "../../api/queries.ts"
import { choices_max } from "../../parts/fields/Picker.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { useTimeZone } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { useEditing } from "../draft/editing.tsx"
import { changeTrigger } from "../draft/edits.ts"
import { emptyTrigger, type Trigger, type TriggerType, triggerTypes } from "../draft/steps.ts"
import { issueText } from "../parts/texts.ts"
import { DateFields } from "./DateFields.tsx"
import { TextPart, useTriggerFields } from "../editors/fields.tsx"
import { IssueList } from "../editors/IssueList.tsx"
import { PickerPart } from "../editors/PickerPart.tsx"
import { TokenFields } from "./TokenFields.tsx"
import { UpdatedFields } from "./UpdatedFields.tsx"

const form_id_max = 200

interface Props {
  readonly at: number
  readonly trigger: Trigger
}

const ListFields = ({ at, trigger }: Props) => {
  const words = useWords("flows")
  const of = useTriggerFields(at, trigger)
  return (
    <PickerPart
      of={of}
      name="list_id"
      label={words.fields.list_id}
      source={(search) =>
        queryOf("lists", "list", {
          query: { kind: "static", limit: choices_max, ...(search === "" ? {} : { search }) },
        })
      }
      choicesOf={({ lists }) => lists.map(({ list_id, name }) => ({ value: list_id, label: name }))}
    />
  )
}

const FormFields = ({ at, trigger }: Props) => {
  const words = useWords("flows")
  const of = useTriggerFields(at, trigger)
  return (
    <>
      <PickerPart
        of={of}
        name="tent_id"
        label={words.fields.tent_id}
        placeholder={words.anyPage}
        source={(search) =>
          queryOf("tents", "list", { query: { limit: choices_max, ...(search === "" ? {} : { search }) } })
        }
        choicesOf={({ tents }) => tents.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <TextPart
        of={of}
        name="form_id"
        label={words.fields.form_id}
        description={words.formText}
        placeholder={words.anyForm}
        max={form_id_max}
      />
    </>
  )
}

const Fields = (props: Props) => {
  const { at, trigger } = props
  switch (trigger.type) {
    case "added_to_static_list":
    case "removed_from_static_list":
      return <ListFields {...props} />
    case "contact_updated":
      return <UpdatedFields at={at} trigger={trigger} />
    case "date_based":
      return <DateFields at={at} trigger={trigger} />
    case "form_submitted":
      return <FormFields {...props} />
    case "service_api":
      return <TokenFields at={at} trigger={trigger} />
    case "contact_created":
      return null
  }
}

export const TriggerEditor = ({ at, trigger }: Props) => {
  const words = useWords("flows")
  const timezone = useTimeZone()
  const { edit, flow, isReadOnly, issues } = useEditing()
  const mine = (issues.triggers.get(at) ?? []).filter(({ key }) => key === "")
  const setType = (type: TriggerType) => edit((before) => changeTrigger(before, at, () => emptyTrigger(type, timezone)))
  return (
    <Stack gap="sm">
      <IssueList texts={mine.map((issue) => issueText(words, issue))} />
      <NativeSelect
        label={words.triggerType}
        disabled={isReadOnly}
        value={trigger.type}
        data={triggerTypes.map((each) => ({ value: each, label: words.triggerTypes[each] }))}
        onChange={({ currentTarget }) =>
          setType(triggerTypes.find((each) => each === currentTarget.value) ?? "contact_created")
        }
      />
      <Text size="sm" c="dimmed">
        {words.triggerTexts[trigger.type]}
      </Text>
      <Fields key={trigger.type} at={at} trigger={trigger} />
      {trigger.type === "service_api" && (
        <CurlButton
          call={[
            "flowMembers",
            "trigger",
            {
              params: { flowId: flow.flow_id },
              payload: {
                contact_id: words.exampleContact,
                tokens: Object.fromEntries((trigger.fields ?? []).map(({ name }) => [name, ""])),
              },
            },
          ]}
        />
      )}
    </Stack>
  )
}
