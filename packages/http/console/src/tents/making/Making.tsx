// What the AI does with a page: the time so far while it works, and the reason where it failed.
import { Alert, Group, Loader, Text } from "@mantine/core"
import type { Tent } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { queryOf } from "../../api/queries.ts"
import { SparkIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { useRevision } from "./revision.ts"

const second_ms = 1_000
const poll_ms = 2_000

const useSeconds = (since: string): number => {
  const [now_ms, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), second_ms)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.round((now_ms - Date.parse(since)) / second_ms))
}

interface WorkProps {
  readonly title: string
  readonly text: string
  readonly prompt: string | null
  readonly since: string
}

const Work = ({ prompt, since, text, title }: WorkProps) => {
  const words = useWords("tents")
  const seconds = useSeconds(since)
  return (
    <Alert mb="md" color="blue" icon={<Loader size={16} aria-hidden="true" />} title={title} role="status">
      <Text size="sm">{text}</Text>
      <Group gap="xs" mt={6}>
        {prompt !== null && (
          <Text size="xs" c="dimmed" className="break" lineClamp={3}>
            {words.asked(prompt)}
          </Text>
        )}
        <Text size="xs">{words.seconds(seconds)}</Text>
      </Group>
    </Alert>
  )
}

const Failed = ({ prompt, text, title }: Omit<WorkProps, "since">) => {
  const words = useWords("tents")
  return (
    <Alert mb="md" color="red" icon={<SparkIcon />} title={title} role="status">
      <Text size="sm">{text}</Text>
      {prompt !== null && (
        <Text size="xs" c="dimmed" mt={6} className="break" lineClamp={3}>
          {words.asked(prompt)}
        </Text>
      )}
    </Alert>
  )
}

/** The revision that this tab requested, or what the page says of the last one. */
const Revision = ({ tent }: { readonly tent: Tent }) => {
  const words = useWords("tents")
  const generationId = useRevision(tent.id)
  const isRunning = tent.revision_status === "generating"
  const found = useQuery({
    ...queryOf("tents", "revision", { params: { tentId: tent.id, generationId: generationId ?? "" } }),
    enabled: generationId !== null,
    refetchInterval: ({ state: { data } }) => (data?.status === "generating" ? poll_ms : false),
  })
  const prompt = found.data?.prompt ?? null
  if (isRunning) {
    return (
      <Work
        title={words.revising}
        text={words.revisingText}
        prompt={prompt}
        since={found.data?.created_at ?? tent.updated_at}
      />
    )
  }
  if (found.data?.status !== "failed") return null
  return <Failed title={words.revisionFailed} text={found.data.error ?? words.failedText} prompt={prompt} />
}

export const Making = ({ tent }: { readonly tent: Tent }) => {
  const words = useWords("tents")
  const { created_at, error, prompt, status } = tent
  if (status === "queued" || status === "generating") {
    return <Work title={words.making[status]} text={words.makingText} prompt={prompt} since={created_at} />
  }
  if (status === "failed") return <Failed title={words.failed} text={error ?? words.failedText} prompt={prompt} />
  return <Revision tent={tent} />
}
