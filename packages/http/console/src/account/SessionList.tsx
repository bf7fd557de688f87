// The sessions of the person: signed-in browsers. Each other one can be ended.
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core"
import type { Accounts } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useAccountsMutationOf } from "../api/mutations.ts"
import { accountsQueryOf } from "../api/queries.ts"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { useWords } from "../words/Words.tsx"
import { browserOf } from "./agent.ts"

type Session = Accounts.Sessions["sessions"][number]

const SessionRow = ({ session }: { readonly session: Session }) => {
  const words = useWords("account")
  const { agent, created_at, current, seen_at, session_id } = session
  const browser = browserOf(agent)
  const name = browser === null ? words.unknownBrowser : words.browserOn(browser.name, browser.system)
  const end = useAccountsMutationOf("sessions", "end", { done: () => words.sessionEnded })
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="md">
      <div>
        <Text size="sm" fw={550} title={agent}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {current ? (
            words.thisSession
          ) : (
            <>
              {words.seen} <Time at={seen_at} as="relative" /> · {words.signedIn} <Time at={created_at} as="date" />
            </>
          )}
        </Text>
        {end.isError && <Problem error={end.error} />}
      </div>
      {!current && (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`${words.end}: ${name}`}
          loading={end.isPending}
          onClick={() => end.mutate({ params: { session_id } })}
        >
          {words.end}
        </Button>
      )}
    </Group>
  )
}

export const SessionList = () => {
  const found = useQuery(accountsQueryOf("sessions", "list"))
  if (found.isError) return <Problem error={found.error} onRetry={found.refetch} />
  if (found.data === undefined) return <Skeleton h={60} className="late" />
  return (
    <Stack component="ul" gap="md" className="plain-list">
      {found.data.sessions.map((session) => (
        <SessionRow key={session.session_id} session={session} />
      ))}
    </Stack>
  )
}
