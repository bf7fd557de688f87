// A part of a form that most people leave as it is: its name and what is set, and its fields when it is unfolded.
import { Text, UnstyledButton } from "@mantine/core"
import { type ReactNode, useState } from "react"
import { DownIcon, UpIcon } from "../../Icons.tsx"

interface Props {
  readonly label: string
  /** The settings in a few words. */
  readonly summary: string
  /** Whether one of its fields has an error: it unfolds. */
  readonly hasError: boolean
  readonly children: ReactNode
}

export const Unfolding = ({ children, hasError, label, summary }: Props) => {
  const [isWanted, setWanted] = useState(false)
  const isOpen = isWanted || hasError
  return (
    <div className="unfolding" role="group" aria-label={label}>
      <UnstyledButton aria-expanded={isOpen} onClick={() => setWanted(!isOpen)}>
        <span>
          <Text component="span" size="sm" fw={550} display="block">
            {label}
          </Text>
          <Text component="span" size="xs" c="dimmed" display="block" className="break">
            {summary}
          </Text>
        </span>
        {isOpen ? <UpIcon size={16} /> : <DownIcon size={16} />}
      </UnstyledButton>
      {isOpen && <div className="unfolded">{children}</div>}
    </div>
  )
}
