// Copying: a value, and the `curl` that makes the same call as the screen.
import { ActionIcon, Button, Code, CopyButton as Copying, Group, Popover, Text, Tooltip } from "@mantine/core"
import { CheckIcon, CopyIcon, TerminalIcon } from "../Icons.tsx"
import { useWords } from "../words/Words.tsx"
import { curlOf, type CurlCall } from "../api/curl.ts"

interface Props {
  readonly value: string
  /** Name of the value, for readers of screens. */
  readonly label?: string
}

export const CopyButton = ({ label, value }: Props) => {
  const words = useWords("shell")
  const name = label === undefined ? words.copy : `${words.copy}: ${label}`
  return (
    <Copying value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? words.copied : words.copy}>
          <ActionIcon variant="subtle" color="gray" size="sm" aria-label={name} onClick={copy}>
            {copied ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
          </ActionIcon>
        </Tooltip>
      )}
    </Copying>
  )
}

interface CurlProps {
  readonly call: CurlCall
}

/** Shows the `curl` of a call, with `$TENTPOLE_API_KEY` in place of a key. */
export const CurlButton = ({ call }: CurlProps) => {
  const words = useWords("shell")
  const text = curlOf(call)
  return (
    <Popover position="bottom-end" width={460} shadow="md" trapFocus>
      <Popover.Target>
        <Tooltip label={words.curlTitle}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={words.curlTitle}>
            <TerminalIcon />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown maw="calc(100vw - 24px)">
        <Group justify="space-between" mb="xs">
          <Text size="sm" fw={600}>
            {words.curlTitle}
          </Text>
          <Copying value={text} timeout={2_000}>
            {({ copied, copy }) => (
              <Button size="compact-sm" variant="default" onClick={copy}>
                {copied ? words.copied : words.copy}
              </Button>
            )}
          </Copying>
        </Group>
        <Code block className="curl" tabIndex={0}>
          {text}
        </Code>
      </Popover.Dropdown>
    </Popover>
  )
}
