// The fields of a step that makes an email for each member, from a template.
import { SegmentedControl, Stack } from "@mantine/core"
import { queryOf } from "../../api/queries.ts"
import { lengths_max } from "../../emails/written.ts"
import { choices_max } from "../../parts/fields/Picker.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Step } from "../draft/steps.ts"
import { AreaPart, FlagPart, TextPart, useStepFields, WayPart } from "./fields.tsx"
import { PickerPart } from "./PickerPart.tsx"

type CreateEmail = Extract<Step, { readonly type: "create_email" }>

const prompt_max = 10_000

const headers = ["subject", "preview_text", "name", "from_name", "from_address", "reply_to_email"] as const

export const CreateEmailFields = ({ step }: { readonly step: CreateEmail }) => {
  const words = useWords("flows")
  const of = useStepFields(step)
  const isWritten = step.template_mode === "generate"
  return (
    <Stack gap="sm">
      <PickerPart
        of={of}
        name="template_id"
        label={words.fields.template_id}
        source={(search) =>
          queryOf("emailTemplates", "list", {
            query: { status: "approved", limit: choices_max, ...(search === "" ? {} : { search }) },
          })
        }
        choicesOf={({ templates }) =>
          templates.map(({ default_subject, name, template_id }) => ({
            value: template_id,
            label: name,
            detail: default_subject,
          }))
        }
      />
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label={words.templateMode}
        readOnly={of.isReadOnly}
        value={isWritten ? "generate" : "copy_only"}
        data={[
          { value: "copy_only", label: words.templateModes.copy_only },
          { value: "generate", label: words.templateModes.generate },
        ]}
        onChange={(template_mode) => of.set({ template_mode })}
      />
      {isWritten && (
        <AreaPart of={of} name="prompt" label={words.fields.prompt} description={words.promptText} max={prompt_max} />
      )}
      {headers.map((name) => (
        <TextPart
          key={name}
          of={of}
          name={name}
          label={words.fields[name]}
          placeholder={words.fromTemplate}
          max={lengths_max[name]}
          type={name === "from_address" || name === "reply_to_email" ? "email" : "text"}
        />
      ))}
      <FlagPart of={of} name="auto_approve" label={words.fields.auto_approve} description={words.autoApproveText} />
      <WayPart step={step} way="next" label={words.next} otherwise={words.ends} />
    </Stack>
  )
}
