// What changed in a contact's subscription to a topic.
import { TopicName } from "../topics/TopicName.tsx"
import { useWords } from "../words/Words.tsx"

interface Props {
  readonly topicId: string
  readonly from: unknown
  readonly to: unknown
}

export const TopicDetail = ({ from, to, topicId }: Props) => {
  const statuses: Readonly<Record<string, string>> = useWords("topics").chosen.statuses
  const change = [from, to].map((status) => (typeof status === "string" ? (statuses[status] ?? status) : "–"))
  return (
    <>
      <TopicName topicId={topicId} />: {change.join(" → ")}
    </>
  )
}
