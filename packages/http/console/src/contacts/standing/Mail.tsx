// Whether mail is sent to a contact, and everything that keeps it away.
import { Group, List, Skeleton, Stack, Text } from "@mantine/core"
import type { Contact, MailObstacle } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { queryOf } from "../../api/queries.ts"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { Time } from "../../parts/Time.tsx"
import { useWords } from "../../words/Words.tsx"

interface Props {
  readonly contact: Pick<Contact, "contact_id" | "email">
}

const Obstacle = ({ email, obstacle }: { readonly email: string | null; readonly obstacle: MailObstacle }) => {
  const words = useWords("contacts")
  const { reason, since, source } = obstacle
  const texts: Readonly<Record<string, string>> = words.obstacles
  return (
    <>
      {source === "contact" ? (texts[reason] ?? reason) : words.suppressed[source]}
      {since !== null && (
        <Text span size="sm" c="dimmed">
          {" "}
          {words.since} <Time at={since} as="date" />
        </Text>
      )}
      {source !== "contact" && email !== null && (
        <>
          {" · "}
          <Link to="/suppressions" search={{ search: email }} className="link inline">
            {words.suppression}
          </Link>
        </>
      )}
    </>
  )
}

/** Operational mail ignores choices of the contact: it is asked for only where marketing mail is kept away. */
export const Mail = ({ contact: { contact_id, email } }: Props) => {
  const words = useWords("contacts")
  const params = { contact_id }
  const marketing = useQuery(queryOf("contacts", "mailable", { params }))
  const isBlocked = marketing.data?.mailable === false
  const operational = useQuery({
    ...queryOf("contacts", "mailable", { params, query: { operational: "true" } }),
    enabled: isBlocked,
  })
  const failed = marketing.isError ? marketing : operational
  if (failed.error !== null) return <Problem error={failed.error} onRetry={failed.refetch} />
  if (marketing.data === undefined) return <Skeleton className="late" h={22} />
  const kinds = [
    { name: words.marketing, is: marketing.data.mailable },
    { name: words.operational, is: !isBlocked || operational.data?.mailable === true },
  ]
  return (
    <Stack gap={4}>
      {kinds.map(({ is, name }) => (
        <Group key={name} justify="space-between">
          <Text size="sm">{name}</Text>
          <StatusBadge tone={is ? "good" : "warning"} label={is ? words.isSent : words.isNotSent} />
        </Group>
      ))}
      {isBlocked && (
        <List size="sm" mt={4}>
          {marketing.data.reasons.map((obstacle) => (
            <List.Item key={`${obstacle.reason} ${obstacle.source}`}>
              <Obstacle email={email} obstacle={obstacle} />
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  )
}
