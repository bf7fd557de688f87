// The `curl` of a call, in a popover. Only `Copy.tsx` imports this module, on demand.
import { Button, Code, CopyButton as Copying, Group, Popover, Text } from "@mantine/core"
import { curlOf, type CurlCall } from "../api/curl.ts"
import { useWords } from "../words/Words.tsx"
import { CurlTarget } from "./Copy.tsx"
import { useOpening } from "./OnDemand.tsx"

interface Props {
  readonly call: CurlCall
}

export const CurlPopover = ({ call }: Props) => {
  const words = useWords("shell")
  const { isOpen, setOpen, target } = useOpening()
  const text = curlOf(call)
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={460} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <CurlTarget ref={target} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown maw="calc(100vw - 24px)" aria-label={words.curlTitle}>
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
        <Code block className="curl" tabIndex={0} role="region" aria-label={words.curlTitle}>
          {text}
        </Code>
      </Popover.Dropdown>
    </Popover>
  )
}
