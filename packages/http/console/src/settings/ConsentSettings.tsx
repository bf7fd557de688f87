// Consent of the workspace: who gets marketing mail, how people confirm, and the pages that they see.
import { Box, NativeSelect, NumberInput, Radio, SimpleGrid, Stack, Text, TextInput } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { queryOf } from "../api/queries.ts"
import { choices_max, Picker } from "../parts/fields/Picker.tsx"
import { HostedPages } from "../topics/pages/HostedPages.tsx"
import { useActiveTopics } from "../topics/TopicSelect.tsx"
import { useWords } from "../words/Words.tsx"
import { Section } from "./Section.tsx"
import { orNull, type SettingsFields, SettingsForm } from "./SettingsForm.tsx"

const valuesOf = ({ consent }: Admin.Workspace) => ({
  marketing_consent: consent.marketing_consent,
  one_click: consent.one_click,
  confirmation_days: String(consent.confirmation_days),
  confirmations_per_hour: String(consent.confirmations_per_hour),
  confirmation_email_id: consent.confirmation_email_id ?? "",
  privacy_url: consent.privacy_url ?? "",
})

const payloadOf = (values: Record<string, string>): Admin.UpdateWorkspace => ({
  consent: {
    marketing_consent: values["marketing_consent"] === "required" ? "required" : "assumed",
    one_click: values["one_click"] === "all" ? "all" : "topic",
    confirmation_days: Number(values["confirmation_days"]),
    confirmations_per_hour: Number(values["confirmations_per_hour"]),
    confirmation_email_id: orNull(values["confirmation_email_id"]),
    privacy_url: orNull(values["privacy_url"]),
  },
})

interface FieldsProps {
  readonly form: SettingsFields
}

const Choices = ({ form }: FieldsProps) => {
  const words = useWords("settings").consent
  return (
    <>
      <Radio.Group label={words.marketing} {...form.getInputProps("marketing_consent")}>
        <Stack gap={6} mt={8}>
          {(["assumed", "required"] as const).map((each) => (
            <Radio key={each} value={each} label={words.marketings[each]} description={words.marketingTexts[each]} />
          ))}
        </Stack>
      </Radio.Group>
      <Radio.Group label={words.oneClick} {...form.getInputProps("one_click")}>
        <Stack gap={6} mt={8}>
          {(["topic", "all"] as const).map((each) => (
            <Radio key={each} value={each} label={words.oneClicks[each]} description={words.oneClickTexts[each]} />
          ))}
        </Stack>
      </Radio.Group>
    </>
  )
}

const days_max = 30

const Whole = ({
  description,
  form,
  label,
  max,
  name,
}: FieldsProps & {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly max?: number
}) => (
  <NumberInput
    label={label}
    description={description}
    min={1}
    {...(max === undefined ? {} : { max })}
    allowDecimal={false}
    value={form.values[name] ?? ""}
    error={form.errors[name]}
    onChange={(next) => form.setFieldValue(name, String(next))}
  />
)

/** The email that asks for the confirmation. */
const ConfirmationEmail = ({ form }: FieldsProps) => {
  const words = useWords("settings").consent
  const id = form.values["confirmation_email_id"] ?? ""
  const found = useQuery({ ...queryOf("emails", "find", { params: { emailId: id } }), enabled: id !== "" })
  return (
    <div>
      <Picker
        label={words.email}
        value={id === "" ? null : id}
        chosenLabel={found.data?.name ?? null}
        error={
          typeof form.errors["confirmation_email_id"] === "string" ? form.errors["confirmation_email_id"] : undefined
        }
        source={(search) =>
          queryOf("emails", "list", {
            query: { status: "approved", limit: choices_max, ...(search === "" ? {} : { search }) },
          })
        }
        choicesOf={({ emails }) =>
          emails.map(({ email_id, name, subject }) => ({ value: email_id, label: name, detail: subject }))
        }
        onChange={(next) => form.setFieldValue("confirmation_email_id", next ?? "")}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {words.emailText}
      </Text>
    </div>
  )
}

const Fields = ({ form }: FieldsProps) => {
  const words = useWords("settings").consent
  return (
    <>
      <Choices form={form} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Whole form={form} name="confirmation_days" label={words.days} description={words.daysText} max={days_max} />
        <Whole form={form} name="confirmations_per_hour" label={words.perHour} description={words.perHourText} />
      </SimpleGrid>
      <ConfirmationEmail form={form} />
      <TextInput
        type="url"
        label={words.privacyUrl}
        description={words.privacyUrlText}
        maxLength={2_000}
        {...form.getInputProps("privacy_url")}
      />
    </>
  )
}

/** The pages for a topic. */
const Pages = () => {
  const { pages: words } = useWords("topics")
  const [topicId, setTopicId] = useState<string | null>(null)
  const topics = useActiveTopics() ?? []
  return (
    <HostedPages topicId={topicId}>
      {topics.length > 1 && (
        <NativeSelect
          size="xs"
          label={words.topic}
          value={topicId ?? topics[0]?.topic_id}
          data={topics.map(({ name, topic_id }) => ({ value: topic_id, label: name }))}
          onChange={({ currentTarget: { value } }) => setTopicId(value)}
        />
      )}
    </HostedPages>
  )
}

export const ConsentSettings = () => {
  const words = useWords("settings")
  return (
    <Section name="consent" text={words.consent.text}>
      <SettingsForm valuesOf={valuesOf} payloadOf={payloadOf}>
        {(form) => <Fields form={form} />}
      </SettingsForm>
      <Box mt="md">
        <Pages />
      </Box>
    </Section>
  )
}
