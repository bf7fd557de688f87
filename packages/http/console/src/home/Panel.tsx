// A panel of Home: a title, the way to all of it, and its content.
import { Group, Paper, Text } from "@mantine/core"
import { Link, useRouter } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useWords } from "../words/Words.tsx"

interface Props {
  readonly title: string
  /** Address of the screen that has all. */
  readonly path?: string
  readonly children: ReactNode
}

/** Whether a screen exists. Parts of Home lead only where there is one. */
export const useHasScreen = () => {
  const { routesByPath } = useRouter()
  return (path: string): boolean => Object.hasOwn(routesByPath, path)
}

/** A link to a screen that may not exist here: then it is text. */
export const MaybeLink = ({
  children,
  path,
  route,
}: {
  readonly path: string
  /** The route of the path, such as `/flows/$flowId`. */
  readonly route: string
  readonly children: ReactNode
}) => {
  const hasScreen = useHasScreen()
  if (!hasScreen(route)) return children
  return (
    <Link to={path as "/"} className="link">
      {children}
    </Link>
  )
}

export const Panel = ({ children, path, title }: Props) => {
  const words = useWords("home")
  const hasScreen = useHasScreen()
  return (
    <Paper p="md" component="section" aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Text component="h2" fw={600} size="sm" m={0}>
          {title}
        </Text>
        {path !== undefined && hasScreen(path) && (
          <Link to={path as "/"} className="link small" aria-label={words.allOf(title)}>
            {words.all}
          </Link>
        )}
      </Group>
      {children}
    </Paper>
  )
}

/** A line of a panel: a name and what is said of it. */
export const Line = ({ children, name }: { readonly name: ReactNode; readonly children: ReactNode }) => (
  <Group justify="space-between" gap="sm" wrap="nowrap" className="line-of-panel">
    <Text size="sm" component="div" truncate>
      {name}
    </Text>
    <Text size="sm" c="dimmed" component="div" className="nowrap">
      {children}
    </Text>
  </Group>
)
