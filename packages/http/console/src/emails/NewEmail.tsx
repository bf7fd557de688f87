// The form of a new email: blank, from HTML, from a template, or written by the AI.
import { SegmentedControl, Stack, Text, Textarea, TextInput } from "@mantine/core"
import { useForm, type UseFormReturnType } from "@mantine/form"
import { useNavigate } from "@tanstack/react-router"
import { useMutationOf } from "../api/mutations.ts"
import { fieldErrors } from "../api/problems.ts"
import { queryOf } from "../api/queries.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { choices_max, Picker } from "../parts/fields/Picker.tsx"
import { useIsPhone } from "../parts/phone.ts"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { FormFooter } from "../parts/dialogs/FormFooter.tsx"

const ways = ["blank", "html", "template", "ai"] as const
type Way = (typeof ways)[number]

const isWay = (value: string): value is Way => ways.some((way) => way === value)

interface Values {
  readonly name: string
  readonly way: Way
  readonly html: string
  readonly template_id: string
  readonly prompt: string
}

/** What the way needs, and no more. */
const payloadOf = ({ html, name, prompt, template_id, way }: Values) => ({
  name: name.trim(),
  ...(way === "html" ? { html } : {}),
  ...(way === "template" && template_id !== "" ? { template_id } : {}),
  ...(way === "ai" ? { prompt } : {}),
})

const isComplete = ({ html, name, prompt, template_id, way }: Values): boolean =>
  name.trim() !== "" && (way === "blank" || (way === "html" ? html : way === "ai" ? prompt : template_id).trim() !== "")

interface PickerProps {
  readonly value: string
  readonly onChange: (templateId: string) => void
}

const TemplatePicker = ({ onChange, value }: PickerProps) => {
  const words = useWords("emails")
  return (
    <Picker
      label={words.template}
      value={value === "" ? null : value}
      onChange={(next) => onChange(next ?? "")}
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
  )
}

interface SourceProps {
  readonly form: UseFormReturnType<Values>
  readonly errors: Readonly<Record<string, string>>
  readonly hasTemplate: boolean
}

/** The field of the chosen way. */
const Source = ({ errors, form, hasTemplate }: SourceProps) => {
  const words = useWords("emails")
  const { way } = form.values
  return (
    <>
      {way === "html" && (
        <Textarea
          label={words.html}
          autosize
          minRows={6}
          maxRows={14}
          {...form.getInputProps("html")}
          error={errors["html"]}
        />
      )}
      {way === "template" && !hasTemplate && (
        <TemplatePicker value={form.values.template_id} onChange={(next) => form.setFieldValue("template_id", next)} />
      )}
      {way === "ai" && (
        <Textarea
          label={words.prompt}
          description={words.promptText}
          autosize
          minRows={4}
          maxRows={12}
          maxLength={10_000}
          {...form.getInputProps("prompt")}
          error={errors["prompt"]}
        />
      )}
    </>
  )
}

interface WayChoiceProps {
  readonly way: Way
  readonly onChange: (way: Way) => void
}

const WayChoice = ({ onChange, way }: WayChoiceProps) => {
  const words = useWords("emails")
  return (
    <div>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={words.way}
        value={way}
        data={ways.map((each) => ({ value: each, label: words.ways[each] }))}
        onChange={(next) => {
          if (isWay(next)) onChange(next)
        }}
      />
      <Text size="sm" c="dimmed" mt={6}>
        {words.wayTexts[way]}
      </Text>
    </div>
  )
}

interface Props {
  readonly onClose: () => void
  /** An approved template to begin with. */
  readonly template?: { readonly id: string; readonly name: string }
}

export const NewEmail = ({ onClose, template }: Props) => {
  const words = useWords("emails")
  const shell = useWords("shell")
  const navigate = useNavigate()
  const isPhone = useIsPhone()
  const initialValues: Values = {
    name: template?.name ?? "",
    way: template === undefined ? "blank" : "template",
    html: "",
    template_id: template?.id ?? "",
    prompt: "",
  }
  const form = useForm({ initialValues })
  const create = useMutationOf("emails", "create", {
    onDone: ({ email_id }) => navigate({ to: `/emails/${email_id}` }),
  })
  const { errors, rest } = fieldErrors(create.error, ["name", "html", "prompt"])
  const payload = payloadOf(form.values)
  const { way } = form.values
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.create}
      fullScreen={isPhone}
      size="lg"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <form onSubmit={form.onSubmit(() => create.mutate({ payload }))} noValidate>
        <Stack>
          <TextInput
            label={words.fields.name}
            description={words.nameText}
            maxLength={200}
            data-autofocus
            {...form.getInputProps("name")}
            error={errors["name"]}
          />
          {template === undefined ? (
            <WayChoice way={way} onChange={(next) => form.setFieldValue("way", next)} />
          ) : (
            <Text size="sm">{words.fromTemplate(template.name)}</Text>
          )}
          <Source form={form} errors={errors} hasTemplate={template !== undefined} />
          {create.isError && Object.keys(errors).length === 0 && <Problem error={create.error} issues={rest} />}
          <FormFooter
            beside={<CurlButton call={["emails", "create", { payload }]} />}
            action={way === "ai" ? words.writeAction : words.createAction}
            isPending={create.isPending}
            isReady={isComplete(form.values)}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
