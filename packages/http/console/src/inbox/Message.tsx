// One local mail: as its recipient sees it, and what its recipient or the mail server can do with it.
import { Button, Group, Paper, SegmentedControl, Skeleton, Stack, Switch, Table, Text } from "@mantine/core"
import type { OpenedLocalMail } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { queryOf } from "../api/queries.ts"
import { BackLink } from "../parts/BackLink.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Preview } from "../parts/Preview.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"

const views = ["html", "text", "headers"] as const
type View = (typeof views)[number]

const isView = (value: string): value is View => views.some((view) => view === value)

const Headers = ({ mail }: { readonly mail: OpenedLocalMail }) => {
  const words = useWords("inbox")
  return (
    <Table.ScrollContainer minWidth={0} tabIndex={0} aria-label={words.views.headers}>
      <Table fz="sm" layout="fixed">
        <Table.Tbody>
          {mail.headers.map(({ name, value }, index) => (
            <Table.Tr key={`${name} ${index}`}>
              <Table.Th w="11rem" fw={500} className="break">
                {name}
              </Table.Th>
              <Table.Td className="break">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const Shown = ({ mail, onOpen }: { readonly mail: OpenedLocalMail; readonly onOpen: (href: string) => void }) => {
  const words = useWords("inbox")
  const [view, setView] = useState<View>("html")
  const [isDark, setDark] = useState(false)
  const [pictures, setPictures] = useState(false)
  return (
    <Paper p="md">
      <Group mb="md" gap="md">
        <SegmentedControl
          size="xs"
          aria-label={words.view}
          value={view}
          data={views.map((each) => ({ value: each, label: words.views[each] }))}
          onChange={(next) => {
            if (isView(next)) setView(next)
          }}
        />
        {view === "html" && (
          <>
            <Switch
              size="xs"
              label={words.dark}
              checked={isDark}
              onChange={({ currentTarget }) => setDark(currentTarget.checked)}
            />
            <Switch
              size="xs"
              label={words.pictures}
              checked={pictures}
              onChange={({ currentTarget }) => setPictures(currentTarget.checked)}
            />
          </>
        )}
      </Group>
      {view === "html" &&
        (mail.html === null ? (
          <Text size="sm">{words.noHtml}</Text>
        ) : (
          <Preview
            html={mail.html}
            title={words.message}
            scheme={isDark ? "dark" : "light"}
            pictures={pictures}
            onOpen={onOpen}
          />
        ))}
      {view === "text" && (
        <Text size="sm" className="plain">
          {mail.text ?? words.noText}
        </Text>
      )}
      {view === "headers" && <Headers mail={mail} />}
    </Paper>
  )
}

const events = ["open", "unsubscribe", "bounce", "complaint"] as const

interface ActionsProps {
  readonly mail: OpenedLocalMail
  readonly isPending: boolean
  readonly error: unknown
  readonly onEvent: (type: (typeof events)[number]) => void
  readonly onClick: (linkIndex: number) => void
}

/** What a recipient or a mail server would do with the message. */
const Actions = ({ error, isPending, mail, onClick, onEvent }: ActionsProps) => {
  const words = useWords("inbox")
  return (
    <Paper p="md" component="section" aria-label={words.act}>
      <Text component="h2" fw={600} size="sm" m={0}>
        {words.act}
      </Text>
      <Text size="sm" c="dimmed" mb="sm">
        {mail.kind === "test" ? words.actTest : words.actText}
      </Text>
      <Group gap="xs">
        {events.map((type) => (
          <Button key={type} variant="default" size="compact-sm" disabled={isPending} onClick={() => onEvent(type)}>
            {words[type]}
          </Button>
        ))}
      </Group>
      {error !== null && <Problem error={error} />}
      <Text component="h3" fw={600} size="sm" mt="md" mb={6}>
        {words.links}
      </Text>
      {mail.links.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.noLinks}
        </Text>
      )}
      <Stack gap={6}>
        {mail.links.map(({ link_index, text, url }) => (
          <Group key={`${link_index} ${url}`} gap="xs" wrap="nowrap">
            <Button
              variant="default"
              size="compact-xs"
              disabled={isPending}
              aria-label={words.clickLink(text)}
              onClick={() => onClick(link_index)}
            >
              {words.click}
            </Button>
            <Text size="sm" truncate>
              {text === "" ? url : text}
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}

export const Message = () => {
  const words = useWords("inbox")
  const { may } = useSession()
  const { messageId } = useParams({ from: "/inbox/$messageId" })
  const params = { message_id: messageId }
  const mail = useQuery(queryOf("outbox", "find", { params }))
  const simulate = useMutationOf("outbox", "simulate", { done: (_, { payload }) => words.done[payload.type] })
  const found = mail.data
  const click = (link_index: number) => simulate.mutate({ params, payload: { type: "click", link_index } })
  return (
    <>
      <PageHeader
        above={<BackLink to="/inbox" label={words.title} />}
        title={found === undefined ? words.message : found.subject === "" ? words.noSubject : found.subject}
        beside={found === undefined ? null : <StatusBadge tone="quiet" label={words.kinds[found.kind]} />}
        text={
          found === undefined ? undefined : (
            <>
              {found.from} → {found.to} · <Time at={found.at} /> · {words.kilobytes(Math.ceil(found.bytes / 1024))}
            </>
          )
        }
        actions={<CurlButton call={["outbox", "find", { params }]} />}
      />
      {mail.error !== null && <Problem error={mail.error} onRetry={mail.refetch} />}
      {mail.isPending && <Skeleton h={320} className="late" />}
      {found !== undefined && (
        <Stack>
          <Shown
            mail={found}
            onOpen={(href) => {
              const link = found.links.find(({ url }) => url === href)
              if (link !== undefined && may("editor")) click(link.link_index)
            }}
          />
          {may("editor") && (
            <Actions
              mail={found}
              isPending={simulate.isPending}
              error={simulate.error}
              onEvent={(type) => simulate.mutate({ params, payload: { type } })}
              onClick={click}
            />
          )}
        </Stack>
      )}
    </>
  )
}
