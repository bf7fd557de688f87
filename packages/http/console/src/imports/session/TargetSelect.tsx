// Where a column goes: a field, a new field, a topic, or nowhere.
import { Select } from "@mantine/core"
import type { AvailableField, FieldCreationCandidate } from "@tentpole/client"
import { useMemo } from "react"
import { fieldLabel } from "../../contacts/fieldLabels.ts"
import { useActiveTopics } from "../../topics/TopicSelect.tsx"
import { useWords } from "../../words/Words.tsx"
import { newFieldOf, none, type Target } from "./draft.ts"

interface Props {
  readonly header: string
  readonly target: Target
  readonly candidate: FieldCreationCandidate | null
  readonly fields: ReadonlyMap<string, AvailableField>
  readonly isSuppressions: boolean
  readonly error: string | null
  readonly onTarget: (target: Target) => void
}

const valueOf = (target: Target): string =>
  target.kind === "field" ? `field:${target.name}` : target.kind === "topic" ? `topic:${target.id}` : target.kind

/** The fields as options, in two groups. */
export const useFieldOptions = (fields: ReadonlyMap<string, AvailableField>) => {
  const words = useWords("imports")
  const contacts = useWords("contacts")
  return useMemo(() => {
    const all = [...fields.values()]
    const items = (type: AvailableField["type"]) =>
      all
        .filter((field) => field.type === type)
        .map((field) => ({ value: `field:${field.api_name}`, label: fieldLabel(contacts, field) }))
    return [
      { group: words.groups.usual, items: items("standard") },
      { group: words.groups.custom, items: items("custom") },
    ].filter((group) => group.items.length > 0)
  }, [fields, words, contacts])
}

export const TargetSelect = ({ candidate, error, fields, header, isSuppressions, onTarget, target }: Props) => {
  const words = useWords("imports")
  const options = useFieldOptions(fields)
  const topics = useActiveTopics() ?? []
  const fresh = target.kind === "new" ? target.field : candidate === null ? null : newFieldOf(candidate)
  const choose = (value: string | null) => {
    if (value === null || value === "none") return onTarget(none)
    if (value === "new") return fresh === null ? undefined : onTarget({ kind: "new", field: fresh })
    const topic = topics.find(({ topic_id }) => value === `topic:${topic_id}`)
    if (topic !== undefined) return onTarget({ kind: "topic", id: topic.topic_id, name: topic.name })
    return onTarget({ kind: "field", name: value.replace("field:", "") })
  }
  const isNew = fresh !== null && !isSuppressions
  return (
    <Select
      size="xs"
      searchable
      selectFirstOptionOnChange
      allowDeselect={false}
      maxDropdownHeight={320}
      aria-label={`${words.goesTo}: ${header}`}
      value={valueOf(target)}
      error={error}
      data={[
        {
          group: words.groups.more,
          items: [
            { value: "none", label: words.notImported },
            ...(isNew ? [{ value: "new", label: words.newField(fresh.display_name) }] : []),
          ],
        },
        ...options,
        ...(isSuppressions || topics.length === 0
          ? []
          : [
              {
                group: words.groups.topics,
                items: topics.map(({ name, topic_id }) => ({ value: `topic:${topic_id}`, label: name })),
              },
            ]),
      ]}
      onChange={choose}
    />
  )
}
