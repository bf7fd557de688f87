// The empty state: what this is, in one sentence, and the way to the first one.
import { Group, Paper, Stack, Text, ThemeIcon } from "@mantine/core"
import type { ReactNode } from "react"

interface Props {
  readonly icon: ReactNode
  readonly title: string
  readonly text: string
  /** A button, and the `curl` that does the same. */
  readonly children?: ReactNode
}

export const Empty = ({ children, icon, text, title }: Props) => (
  <Paper p="xl" className="empty">
    <Stack align="center" gap="xs" py="xl">
      <ThemeIcon variant="light" color="gray" size={44} radius="xl" aria-hidden="true">
        {icon}
      </ThemeIcon>
      <Text fw={600} component="h2" size="md" m={0}>
        {title}
      </Text>
      <Text size="sm" c="dimmed" ta="center" maw={440}>
        {text}
      </Text>
      {children !== undefined && (
        <Group mt="sm" gap="xs">
          {children}
        </Group>
      )}
    </Stack>
  </Paper>
)
