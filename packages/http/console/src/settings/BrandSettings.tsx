// The brand: what recipients and visitors see, with a preview, and what the AI writes with.
import { Group, Paper, Switch, Text, Textarea, TextInput } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { useState } from "react"
import { Preview } from "../parts/Preview.tsx"
import { useWords } from "../words/Words.tsx"
import { brandPreview, colorOf } from "./brandPreview.ts"
import { Section } from "./Section.tsx"
import { orNull, type SettingsFields, SettingsForm } from "./SettingsForm.tsx"

const names = ["name", "logo_url", "icon_url", "primary_color", "domain", "description", "guidelines"] as const

const valuesOf = ({ brand }: Admin.Workspace) => Object.fromEntries(names.map((name) => [name, brand[name] ?? ""]))

const payloadOf = (values: Record<string, string>): Admin.UpdateWorkspace => ({
  brand: Object.fromEntries(names.map((name) => [name, orNull(values[name])])),
})

const Fields = ({ form }: { readonly form: SettingsFields }) => {
  const words = useWords("settings").brand
  const color = form.values["primary_color"] ?? ""
  return (
    <>
      <TextInput label={words.name} description={words.nameText} maxLength={200} {...form.getInputProps("name")} />
      <TextInput label={words.logo} description={words.logoText} type="url" {...form.getInputProps("logo_url")} />
      <TextInput label={words.icon} description={words.iconText} type="url" {...form.getInputProps("icon_url")} />
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          label={words.color}
          placeholder="#1a73e8"
          maxLength={7}
          className="grow"
          {...form.getInputProps("primary_color")}
        />
        <input
          type="color"
          className="swatch"
          aria-label={words.colorPick}
          value={colorOf(color)}
          onChange={({ currentTarget }) => form.setFieldValue("primary_color", currentTarget.value)}
        />
      </Group>
      <TextInput label={words.domain} description={words.domainText} {...form.getInputProps("domain")} />
      <Textarea
        label={words.description}
        description={words.descriptionText}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={2_000}
        {...form.getInputProps("description")}
      />
      <Textarea
        label={words.guidelines}
        description={words.guidelinesText}
        autosize
        minRows={3}
        maxRows={12}
        maxLength={10_000}
        {...form.getInputProps("guidelines")}
      />
    </>
  )
}

const BrandPreview = ({ values }: { readonly values: Record<string, string> }) => {
  const words = useWords("settings").brand
  const [pictures, setPictures] = useState(false)
  const [name, logo] = [values["name"]?.trim() ?? "", values["logo_url"]?.trim() ?? ""]
  const shown = { name: name === "" ? words.sampleName : name, logo: pictures ? logo : "" }
  const html = brandPreview(
    { ...shown, color: values["primary_color"] ?? "" },
    { title: words.sampleTitle, text: words.sampleText, button: words.sampleButton },
  )
  return (
    <Paper p="md" component="section" aria-label={words.preview} className="beside">
      <Group justify="space-between" mb="sm">
        <Text component="h2" fw={600} size="sm" m={0}>
          {words.preview}
        </Text>
        {logo !== "" && (
          <Switch
            size="xs"
            label={words.pictures}
            checked={pictures}
            onChange={({ currentTarget }) => setPictures(currentTarget.checked)}
          />
        )}
      </Group>
      <Preview html={html} title={words.preview} pictures={pictures} />
    </Paper>
  )
}

export const BrandSettings = () => {
  const words = useWords("settings").brand
  return (
    <Section name="brand" text={words.text} isWide>
      <SettingsForm valuesOf={valuesOf} payloadOf={payloadOf} beside={(values) => <BrandPreview values={values} />}>
        {(form) => <Fields form={form} />}
      </SettingsForm>
    </Section>
  )
}
