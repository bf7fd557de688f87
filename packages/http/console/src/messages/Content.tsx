// The content of a message as it goes out: its HTML in a frame without rights, its plain text, its headers and its files.
import { Group, Paper, SegmentedControl, Switch, Table, Text } from "@mantine/core"
import { ApiError, type EmailMessage } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { queryOf } from "../api/queries.ts"
import { useFormat } from "../format.ts"
import { Preview } from "../parts/Preview.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { headersOf } from "./message.ts"

const views = ["html", "text", "headers", "files"] as const
type View = (typeof views)[number]

const isView = (value: string): value is View => views.some((view) => view === value)

interface Props {
  readonly message: EmailMessage
}

/** Without this, the client asks again for content that is not stored. */
const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404

const Html = ({ message }: Props) => {
  const words = useWords("messages")
  const [isDark, setDark] = useState(false)
  const [pictures, setPictures] = useState(false)
  const html = useQuery(queryOf("emailMessages", "content", { params: { messageId: message.message_id } }))
  if (isMissing(html.error)) return <Text size="sm">{words.noHtml}</Text>
  if (html.error !== null) return <Problem error={html.error} onRetry={html.refetch} />
  return (
    <>
      <Group mb="md" gap="md">
        <Switch size="xs" label={words.dark} checked={isDark} onChange={() => setDark(!isDark)} />
        <Switch size="xs" label={words.pictures} checked={pictures} onChange={() => setPictures(!pictures)} />
      </Group>
      {html.data !== undefined && (
        <Preview html={html.data} title={words.message} scheme={isDark ? "dark" : "light"} pictures={pictures} />
      )}
    </>
  )
}

const PlainText = ({ message }: Props) => {
  const words = useWords("messages")
  const text = useQuery(queryOf("emailMessages", "plainText", { params: { messageId: message.message_id } }))
  if (isMissing(text.error)) return <Text size="sm">{words.noText}</Text>
  if (text.error !== null) return <Problem error={text.error} onRetry={text.refetch} />
  return (
    <Text size="sm" className="plain">
      {text.data}
    </Text>
  )
}

const Headers = ({ message }: Props) => {
  const words = useWords("messages")
  return (
    <Table.ScrollContainer minWidth={0} tabIndex={0} aria-label={words.views.headers}>
      <Table fz="sm" layout="fixed">
        <Table.Tbody>
          {headersOf(message).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w="8rem" fw={500}>
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

const Files = ({ message: { attachments } }: Props) => {
  const words = useWords("messages")
  const { number } = useFormat()
  if (attachments.length === 0) return <Text size="sm">{words.noFiles}</Text>
  return (
    <Table.ScrollContainer minWidth={0} tabIndex={0} aria-label={words.views.files}>
      <Table fz="sm">
        <Table.Tbody>
          {attachments.map(({ content_type, file_name, size_bytes }, index) => (
            <Table.Tr key={index}>
              <Table.Td className="break">{file_name}</Table.Td>
              <Table.Td>{content_type}</Table.Td>
              <Table.Td>{words.kilobytes(number(Math.ceil(size_bytes / 1024)))}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const shown: Readonly<Record<View, (props: Props) => React.ReactNode>> = {
  html: Html,
  text: PlainText,
  headers: Headers,
  files: Files,
}

export const Content = ({ message }: Props) => {
  const words = useWords("messages")
  const [view, setView] = useState<View>("html")
  const Shown = shown[view]
  return (
    <Paper p="md" component="section" aria-label={words.content}>
      <SegmentedControl
        mb="md"
        size="xs"
        aria-label={words.view}
        value={view}
        data={views.map((each) => ({
          value: each,
          label: each === "files" ? words.files(message.attachments.length) : words.views[each],
        }))}
        onChange={(next) => {
          if (isView(next)) setView(next)
        }}
      />
      <Shown message={message} />
    </Paper>
  )
}
