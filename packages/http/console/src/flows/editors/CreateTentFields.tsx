// The fields of a step that makes a page for each member.
import { Stack } from "@mantine/core"
import { queryOf } from "../../api/queries.ts"
import { choices_max } from "../../parts/fields/Picker.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Step } from "../draft/steps.ts"
import { AreaPart, FlagPart, TextPart, useStepFields, WayPart } from "./fields.tsx"
import { PickerPart } from "./PickerPart.tsx"

type CreateTent = Extract<Step, { readonly type: "create_tent" }>

const prompt_max = 10_000
const name_max = 200
const alias_max = 100
const key_max = 120

export const CreateTentFields = ({ step }: { readonly step: CreateTent }) => {
  const words = useWords("flows")
  const of = useStepFields(step)
  const key = step.output_key ?? `${step.step_id}_url`.replace(/[^A-Za-z0-9_]/g, "_")
  return (
    <Stack gap="sm">
      <PickerPart
        of={of}
        name="template_id"
        label={words.fields.template_id}
        source={(search) =>
          queryOf("tentTemplates", "list", {
            query: { status: "approved", limit: choices_max, ...(search === "" ? {} : { search }) },
          })
        }
        choicesOf={({ templates }) => templates.map(({ name, template_id }) => ({ value: template_id, label: name }))}
      />
      <AreaPart of={of} name="prompt" label={words.fields.prompt} description={words.tentPromptText} max={prompt_max} />
      <TextPart of={of} name="tent_name" label={words.fields.tent_name} max={name_max} />
      <FlagPart of={of} name="include_brand" label={words.fields.include_brand} />
      <FlagPart of={of} name="auto_publish" label={words.fields.auto_publish} />
      <TextPart
        of={of}
        name="custom_page_alias"
        label={words.fields.custom_page_alias}
        description={words.aliasText}
        max={alias_max}
      />
      <TextPart
        of={of}
        name="output_key"
        label={words.fields.output_key}
        description={words.outputText(`{{campaign.dynamic.${key}}}`)}
        max={key_max}
      />
      <WayPart step={step} way="next" label={words.next} otherwise={words.ends} />
    </Stack>
  )
}
