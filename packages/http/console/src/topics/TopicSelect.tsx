// Chooses an active topic, or none. A chosen topic that is archived stays visible.
import { NativeSelect, type NativeSelectProps } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../api/queries.ts"
import { useWords } from "../words/Words.tsx"

/** A workspace has at most as many active topics. */
export const topics_max = 100

/** The active topics, in their order. Undefined until they are loaded. */
export const useActiveTopics = () =>
  useQuery(queryOf("topics", "list", { query: { status: "active", limit: topics_max } })).data?.topics

interface Props extends Pick<
  NativeSelectProps,
  "label" | "description" | "aria-label" | "disabled" | "error" | "size" | "maw" | "flex"
> {
  readonly value: string | null
  /** The text of "no topic". */
  readonly none: string
  readonly onChange: (topicId: string | null) => void
}

export const TopicSelect = ({ none, onChange, value, ...rest }: Props) => {
  const words = useWords("topics")
  const topics = useActiveTopics()
  const isElsewhere = value !== null && topics !== undefined && topics.every(({ topic_id }) => topic_id !== value)
  const archived = useQuery({
    ...queryOf("topics", "find", { params: { topicId: value ?? "" } }),
    enabled: isElsewhere,
  })
  const more = isElsewhere
    ? [{ value, label: archived.data === undefined ? value : words.archivedName(archived.data.name) }]
    : []
  return (
    <NativeSelect
      {...rest}
      value={topics === undefined ? "" : (value ?? "")}
      data={[
        { value: "", label: none },
        ...(topics ?? []).map(({ name, topic_id }) => ({ value: topic_id, label: name })),
        ...more,
      ]}
      onChange={({ currentTarget }) => onChange(currentTarget.value === "" ? null : currentTarget.value)}
    />
  )
}
