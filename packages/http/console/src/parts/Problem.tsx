// Failures: in a form, in place of a screen, and in place of the console.
import { Alert, Anchor, Button, Center, Code, Group, List, Stack, Text, Title } from "@mantine/core"
import type { ErrorComponentProps } from "@tanstack/react-router"
import { Link } from "@tanstack/react-router"
import { useEffect, useState, type ReactNode } from "react"
import { type Problem as Found, problemOf } from "../api/problems.ts"
import { LockIcon, RefusedIcon } from "../Icons.tsx"
import { useWords } from "../words/Words.tsx"
import { CopyButton } from "./Copy.tsx"
import { PageHeader } from "./PageHeader.tsx"

/** Seconds until a refused call may be repeated, counted down. */
const useCountdown = (seconds: number | null): number => {
  const [passed, setPassed] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setPassed((before) => before + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, (seconds ?? 0) - passed)
}

const useTexts = (found: Found, left: number): { readonly title: string; readonly text: string } => {
  const words = useWords("shell")
  const { problems, roles } = words
  switch (found.kind) {
    case "refused":
      return { title: problems.refused, text: found.message ?? "" }
    case "role": {
      if (found.needs === "operator") return { title: problems.role, text: problems.operatorsOnly }
      const needs = found.needs !== null && Object.hasOwn(roles, found.needs) ? found.needs : null
      const role = needs === null ? null : (roles[needs as keyof typeof roles] ?? needs)
      return { title: problems.role, text: role === null ? (found.message ?? "") : problems.roleNeeds(role) }
    }
    case "missing":
      return { title: problems.missing, text: problems.missingText }
    case "limited":
      return { title: problems.limited, text: left > 0 ? problems.limitedText(left) : (found.message ?? "") }
    case "unreachable":
      return { title: problems.unreachable, text: problems.unreachableText }
    case "broken":
      return { title: problems.broken, text: found.message ?? problems.brokenText }
  }
}

interface Props {
  readonly error: unknown
  readonly onRetry?: () => unknown
  /** Issues that stand beside their fields are not repeated: the messages of the others. */
  readonly issues?: ReadonlyArray<string>
}

/** A failure in place: the service's sentence, its issues, the id of the request, and a button to try again. */
export const Problem = ({ error, issues, onRetry }: Props) => {
  const words = useWords("shell")
  const found = problemOf(error)
  const left = useCountdown(found.retryAfter_s)
  const { text, title } = useTexts(found, left)
  const shown = issues ?? found.issues.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`))
  return (
    <Alert
      color={found.kind === "role" || found.kind === "limited" ? "yellow" : "red"}
      icon={found.kind === "role" ? <LockIcon /> : <RefusedIcon />}
      title={title}
      role="alert"
    >
      <Text size="sm">{text}</Text>
      {shown.length > 0 && (
        <List size="sm" mt={6}>
          {shown.map((message) => (
            <List.Item key={message}>{message}</List.Item>
          ))}
        </List>
      )}
      {(found.requestId !== null || onRetry !== undefined) && (
        <Group mt="sm" gap="sm">
          {onRetry !== undefined && (
            <Button size="compact-sm" variant="default" disabled={left > 0} onClick={() => void onRetry()}>
              {words.tryAgain}
            </Button>
          )}
          {found.requestId !== null && (
            <Group gap={4}>
              <Text size="xs">{words.problems.request}</Text>
              <Code>{found.requestId}</Code>
              <CopyButton value={found.requestId} />
            </Group>
          )}
        </Group>
      )}
    </Alert>
  )
}

/** A failure in place of a screen whose code broke or could not be loaded. */
export const ScreenProblem = ({ error }: ErrorComponentProps): ReactNode => {
  const words = useWords("shell")
  return (
    <>
      <PageHeader title={words.problems.screen} text={words.problems.screenText} />
      <Problem error={error} onRetry={() => location.reload()} />
    </>
  )
}

export const NoScreen = (): ReactNode => {
  const words = useWords("shell")
  return (
    <>
      <PageHeader title={words.noScreen} text={words.noScreenText} />
      <Anchor component={Link} to="/">
        {words.goHome}
      </Anchor>
    </>
  )
}

/** A failure in place of the console, before there is a session. */
export const ProblemPage = ({ error }: { readonly error: unknown }) => {
  const words = useWords("shell")
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack maw={480}>
        <Title order={1}>{words.product}</Title>
        <Problem error={error} onRetry={() => location.reload()} />
      </Stack>
    </Center>
  )
}
