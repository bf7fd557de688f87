// The head of a screen: its `h1`, what it is about, and its actions. It takes the focus after a change of screen.
import { Group, Text } from "@mantine/core"
import { useRouterState } from "@tanstack/react-router"
import { type ReactNode, useEffect, useRef } from "react"

let hasNavigated = false
let path: string | null = null

interface Props {
  readonly title: string
  /** Beside the title: a count, a status. */
  readonly beside?: ReactNode
  /** Below the title: one sentence. */
  readonly text?: ReactNode
  /** Above the title: where this screen belongs to. */
  readonly above?: ReactNode
  readonly actions?: ReactNode
}

export const PageHeader = ({ above, actions, beside, text, title }: Props) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const now = useRouterState({ select: ({ location: { pathname } }) => pathname })
  useEffect(() => {
    document.title = `${title} · Tentpole`
  }, [title])
  useEffect(() => {
    if (path !== null && now !== path) hasNavigated = true
    path = now
    if (hasNavigated) heading.current?.focus({ preventScroll: true })
  }, [now])
  return (
    <header className="head">
      {above}
      <Group justify="space-between" align="flex-start" gap="sm" className="head-line">
        <div className="title">
          <Group gap="sm" align="center">
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {beside}
          </Group>
          {text !== undefined && (
            <Text size="sm" c="dimmed" mt={2}>
              {text}
            </Text>
          )}
        </div>
        {actions !== undefined && (
          <Group gap="xs" className="actions">
            {actions}
          </Group>
        )}
      </Group>
    </header>
  )
}

interface PanelProps {
  readonly title: string
  readonly beside?: ReactNode
}

/** The head of a part of a screen: its title, and what belongs to it at the right. */
export const PanelHead = ({ beside, title }: PanelProps) => (
  <Group justify="space-between" mb={6} mih={26}>
    <Text component="h2" fw={600} size="sm" m={0}>
      {title}
    </Text>
    {beside}
  </Group>
)
