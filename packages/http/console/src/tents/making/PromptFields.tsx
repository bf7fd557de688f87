// What the AI gets for a page: the prompt, the brand, a template with its values, and files.
import { Checkbox, Input, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../../api/queries.ts"
import { choices_max, Picker } from "../../parts/fields/Picker.tsx"
import { useWords } from "../../words/Words.tsx"
import { variablesIn } from "../tent.ts"
import { FileField } from "./FileField.tsx"
import type { Uploads } from "./useUploads.ts"

const prompt_max = 20_000

export interface Asked {
  readonly prompt: string
  readonly hasBrand: boolean
  readonly templateId: string | null
  /** Values of the template's variables, by name. */
  readonly values: Readonly<Record<string, string>>
}

export const noneAsked: Asked = { prompt: "", hasBrand: true, templateId: null, values: {} }

interface Files {
  readonly tentId: string
  readonly assetIds: ReadonlyArray<string>
}

/** The part of a request that asks the AI. */
export const payloadOf = ({ hasBrand, prompt, templateId, values }: Asked, files: Files | null) => {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ""))
  return {
    prompt: prompt.trim(),
    ...(hasBrand ? { include_brand: true } : {}),
    ...(templateId === null ? {} : { template_id: templateId }),
    ...(templateId === null || Object.keys(given).length === 0 ? {} : { input_data: given }),
    ...(files === null ? {} : { tent_id: files.tentId, asset_ids: files.assetIds }),
  }
}

const useVariables = (templateId: string | null) => {
  const template = useQuery({
    ...queryOf("tentTemplates", "find", { params: { templateId: templateId ?? "" } }),
    enabled: templateId !== null,
  })
  const version = template.data?.approved_version ?? null
  const content = useQuery({
    ...queryOf("tentTemplates", "content", {
      params: { templateId: templateId ?? "" },
      ...(version === null ? {} : { query: { version } }),
    }),
    enabled: version !== null,
  })
  return templateId === null || content.data === undefined ? [] : variablesIn(content.data)
}

/** Variables of the template that have neither a value nor a fallback. */
export const useMissingValues = ({ templateId, values }: Asked): ReadonlyArray<string> =>
  useVariables(templateId)
    .filter(({ isNeeded, name }) => isNeeded && (values[name] ?? "").trim() === "")
    .map(({ name }) => name)

interface Props {
  readonly asked: Asked
  readonly error: string | undefined
  /** The template is chosen already. */
  readonly isOfTemplate: boolean
  readonly uploads: Uploads | null
  readonly onChange: (asked: Asked) => void
}

const Values = ({ asked, onChange }: Pick<Props, "asked" | "onChange">) => {
  const words = useWords("tents")
  const variables = useVariables(asked.templateId)
  if (variables.length === 0) return null
  return (
    <div role="group" aria-label={words.values}>
      <Input.Label labelElement="div">{words.values}</Input.Label>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" verticalSpacing="xs">
        {variables.map(({ isNeeded, name }) => (
          <TextInput
            key={name}
            size="xs"
            label={name}
            required={isNeeded}
            value={asked.values[name] ?? ""}
            onChange={({ currentTarget }) =>
              onChange({ ...asked, values: { ...asked.values, [name]: currentTarget.value } })
            }
          />
        ))}
      </SimpleGrid>
    </div>
  )
}

/** What it costs, and whether it will be sample text. */
const Cost = () => {
  const words = useWords("tents")
  const workspace = useQuery(queryOf("workspace", "find", {}))
  if (workspace.data === undefined) return null
  const { ai, credits } = workspace.data
  return (
    <Text size="xs" c="dimmed">
      {words.cost(credits)} {ai === "sample" && words.willBeSample}
    </Text>
  )
}

export const PromptFields = ({ asked, error, isOfTemplate, onChange, uploads }: Props) => {
  const words = useWords("tents")
  return (
    <Stack gap="sm">
      <Textarea
        label={words.prompt}
        description={words.promptText}
        placeholder={words.promptExample}
        autosize
        minRows={4}
        maxRows={12}
        maxLength={prompt_max}
        value={asked.prompt}
        error={error}
        onChange={({ currentTarget }) => onChange({ ...asked, prompt: currentTarget.value })}
      />
      <Checkbox
        label={words.brand}
        description={words.brandText}
        checked={asked.hasBrand}
        onChange={({ currentTarget }) => onChange({ ...asked, hasBrand: currentTarget.checked })}
      />
      {!isOfTemplate && (
        <Picker
          label={words.template}
          placeholder={words.noTemplate}
          value={asked.templateId}
          source={(search) =>
            queryOf("tentTemplates", "list", {
              query: { status: "approved", limit: choices_max, ...(search === "" ? {} : { search }) },
            })
          }
          choicesOf={({ templates }) => templates.map(({ name, template_id }) => ({ value: template_id, label: name }))}
          onChange={(templateId) => onChange({ ...asked, templateId, values: {} })}
        />
      )}
      <Values asked={asked} onChange={onChange} />
      {uploads !== null && <FileField uploads={uploads} />}
      <Cost />
    </Stack>
  )
}
