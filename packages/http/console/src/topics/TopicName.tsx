// The name of a topic of which the id is known. It may be archived or deleted.
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../api/queries.ts"
import { useWords } from "../words/Words.tsx"

export const TopicName = ({ topicId }: { readonly topicId: string }) => {
  const { records } = useWords("topics")
  const { data, isError } = useQuery(queryOf("topics", "find", { params: { topicId } }))
  if (data === undefined) return isError ? records.deletedTopic : "…"
  return data.name
}
