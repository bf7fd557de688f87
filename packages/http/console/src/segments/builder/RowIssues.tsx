// The messages of a refused request at the row that they are about.
import { Text } from "@mantine/core"
import type { Mark } from "./rows.ts"

export const RowIssues = ({ mark }: { readonly mark: Mark | undefined }) =>
  (mark?.issues ?? []).map((message) => (
    <Text key={message} size="xs" c="var(--mantine-color-error)" className="rule-issue" role="alert">
      {message}
    </Text>
  ))
