// Issues as sentences.
import { List } from "@mantine/core"
import { WarningIcon } from "../../Icons.tsx"

interface Props {
  readonly texts: ReadonlyArray<string>
}

export const IssueList = ({ texts }: Props) =>
  texts.length === 0 ? null : (
    <List size="sm" spacing={4} className="flow-issues" icon={<WarningIcon size={15} />}>
      {texts.map((text) => (
        <List.Item key={text}>{text}</List.Item>
      ))}
    </List>
  )
