// Copying: a value, and the `curl` that makes the same call as the screen.
import { ActionIcon, CopyButton as Copying } from "@mantine/core"
import { lazy, type Ref } from "react"
import type { CurlCall } from "../api/curl.ts"
import { CheckIcon, CopyIcon, TerminalIcon } from "../Icons.tsx"
import { useWords } from "../words/Words.tsx"
import { OnDemand } from "./OnDemand.tsx"

const CurlPopover = lazy(async () => ({ default: (await import("./CurlPopover.tsx")).CurlPopover }))

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
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={name}
          title={copied ? words.copied : words.copy}
          onClick={copy}
        >
          {copied ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
        </ActionIcon>
      )}
    </Copying>
  )
}

interface TargetProps {
  readonly onClick: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

export const CurlTarget = (props: TargetProps) => {
  const words = useWords("shell")
  return (
    <ActionIcon
      {...props}
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={words.curlTitle}
      title={words.curlTitle}
      aria-haspopup="dialog"
    >
      <TerminalIcon />
    </ActionIcon>
  )
}

interface CurlProps {
  readonly call: CurlCall
}

/** Shows the `curl` of a call, with `$TENTPOLE_API_KEY` in place of a key. */
export const CurlButton = ({ call }: CurlProps) => (
  <OnDemand button={(open) => <CurlTarget onClick={open} />}>
    <CurlPopover call={call} />
  </OnDemand>
)
