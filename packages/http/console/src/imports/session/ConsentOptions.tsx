// The topics that the people of a file subscribe to, and what they agreed to.
import { Checkbox, NativeSelect, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core"
import { useActiveTopics } from "../../topics/TopicSelect.tsx"
import { useWords } from "../../words/Words.tsx"
import { type Consent, type Draft, namesTopics, topicsOfColumns } from "./draft.ts"

const text_length_max = 2_000
const source_length_max = 100

interface Props {
  readonly draft: Draft
  readonly onDraft: (change: Partial<Draft>) => void
}

interface EvidenceProps {
  readonly consent: Consent
  readonly headers: ReadonlyArray<string>
  readonly onChange: (change: Partial<Consent>) => void
}

const Evidence = ({ consent, headers, onChange }: EvidenceProps) => {
  const { consent: words } = useWords("imports")
  return (
    <>
      <Textarea
        label={words.text}
        placeholder={words.textExample}
        required
        autosize
        minRows={2}
        maxLength={text_length_max}
        value={consent.text}
        onChange={({ currentTarget }) => onChange({ text: currentTarget.value })}
      />
      <TextInput
        label={words.source}
        placeholder={words.sourceExample}
        required
        maxLength={source_length_max}
        value={consent.source}
        onChange={({ currentTarget }) => onChange({ source: currentTarget.value })}
      />
      <NativeSelect
        label={words.when}
        value={consent.header}
        data={[
          { value: "", label: words.day },
          ...headers.map((header) => ({ value: header, label: words.column(header) })),
        ]}
        onChange={({ currentTarget }) => onChange({ header: currentTarget.value })}
      />
      {consent.header === "" && (
        <TextInput
          type="date"
          label={words.dayLabel}
          description={words.dayText}
          value={consent.day}
          onChange={({ currentTarget }) => onChange({ day: currentTarget.value })}
        />
      )}
      <Switch
        label={words.confirm}
        description={words.confirmText}
        checked={consent.isConfirmed}
        onChange={({ currentTarget }) => onChange({ isConfirmed: currentTarget.checked })}
      />
      <Text size="xs" c="dimmed">
        {words.kept}
      </Text>
    </>
  )
}

/** Nothing is shown in a workspace without topics. */
export const ConsentOptions = ({ draft, onDraft }: Props) => {
  const { consent: words } = useWords("imports")
  const topics = useActiveTopics()
  if (topics === undefined || topics.length === 0) return null
  const { columns, consent } = draft
  const mapped = topicsOfColumns(draft)
  const change = (some: Partial<Consent>) => onDraft({ consent: { ...consent, ...some } })
  return (
    <>
      <Checkbox.Group
        label={words.title}
        value={consent.topics.filter((id) => !mapped.has(id))}
        onChange={(next) => change({ topics: next })}
      >
        <Stack gap={8} mt={8}>
          {topics.map(({ name, topic_id }) => (
            <Checkbox
              key={topic_id}
              value={topic_id}
              label={name}
              disabled={mapped.has(topic_id)}
              description={mapped.has(topic_id) ? words.byColumn : null}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {namesTopics(draft) && (
        <Evidence consent={consent} headers={columns.map(({ header }) => header)} onChange={change} />
      )}
    </>
  )
}
