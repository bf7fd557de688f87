// What the AI does: the time so far while it writes, and the reason where it failed.
import { Alert, Group, Loader, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { queryOf } from "../../api/queries.ts"
import { SparkIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Kind } from "../written.ts"
import { paramsOf } from "./calls.ts"

const second_ms = 1_000

const useSeconds = (since: string | undefined): number => {
  const [now_ms, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), second_ms)
    return () => clearInterval(timer)
  }, [])
  return since === undefined ? 0 : Math.max(0, Math.round((now_ms - new Date(since).getTime()) / second_ms))
}

/** The newest generation. */
export const generationOf = (kind: Kind, id: string) =>
  queryOf(kind, "generations", { params: paramsOf(id), query: { limit: 1 } })

interface Props {
  readonly kind: Kind
  readonly id: string
}

export const Writing = ({ id, kind }: Props) => {
  const words = useWords("emails")
  const { data } = useQuery(generationOf(kind, id))
  const latest = data?.generations[0]
  const seconds = useSeconds(latest?.created_at)
  if (latest === undefined) return null
  const isFailed = latest.status === "failed"
  return (
    <Alert
      mb="md"
      color={isFailed ? "red" : "blue"}
      icon={isFailed ? <SparkIcon /> : <Loader size={16} aria-hidden="true" />}
      title={isFailed ? words.writingFailed : words.writing}
      role="status"
    >
      <Text size="sm">{isFailed ? (latest.error ?? words.writingFailedText) : words.writingText}</Text>
      <Group gap="xs" mt={6}>
        <Text size="xs" c="dimmed" className="break">
          {words.asked(latest.prompt)}
        </Text>
        {!isFailed && <Text size="xs">{words.seconds(seconds)}</Text>}
      </Group>
    </Alert>
  )
}
