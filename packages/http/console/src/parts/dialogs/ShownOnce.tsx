// A value that is shown once, such as a key or a link, with a button that copies it.
import { Code, Group, Text } from "@mantine/core"
import { CopyButton } from "../Copy.tsx"

interface Props {
  readonly label: string
  readonly value: string
}

export const ShownOnce = ({ label, value }: Props) => (
  <div>
    <Group justify="space-between" mb={4}>
      <Text size="sm" fw={550}>
        {label}
      </Text>
      <CopyButton value={value} label={label} />
    </Group>
    <Code block className="curl" tabIndex={0} role="region" aria-label={label}>
      {value}
    </Code>
  </div>
)
