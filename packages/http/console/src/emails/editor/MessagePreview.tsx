// The preview beside the editor: as desktop, phone, dark or text, for a sample or a contact; and the checks beneath it.
import { Button, Code, Group, Paper, SegmentedControl, Stack, Text } from "@mantine/core"
import { useMemo, useState } from "react"
import { ContactPicker } from "../../contacts/ContactPicker.tsx"
import { useFormat } from "../../format.ts"
import { Problem } from "../../parts/Problem.tsx"
import { ScaledPreview } from "../../parts/preview/ScaledPreview.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { useWords, type Words } from "../../words/Words.tsx"
import type { useMessage } from "./calls.ts"
import { type Check, checksOf, linksIn, offersUnsubscribe, picturesIn } from "../checks.ts"
import type { Draft } from "../draft.ts"
import type { Kind } from "../written.ts"

const looks = ["desktop", "phone", "dark", "text"] as const
type Look = (typeof looks)[number]

const isLook = (value: string): value is Look => looks.some((look) => look === value)

const phone_px = 375
/** Usual emails are 600 px wide. A narrower place shows them smaller, as a whole. */
const desktop_px = 660
const height_px = 460

const textOf = (check: Check, words: Words["emails"], bytes: (value: number) => string): string => {
  const { checks } = words
  switch (check.name) {
    case "size":
      return check.tone === "bad" ? checks.tooLarge(bytes(check.bytes)) : checks.size(bytes(check.bytes))
    case "links":
      return check.empty > 0 ? checks.emptyLinks(check.empty) : checks.links(check.count)
    case "pictures":
      return check.withoutAlt > 0 ? checks.withoutAlt(check.withoutAlt) : checks.pictures(check.count)
    case "tokens":
      return check.unresolved.length === 0
        ? checks.tokens
        : checks.unresolved(check.unresolved.map((name) => `{{${name}}}`).join(", "))
    case "unsubscribe":
      return check.isOffered ? checks.unsubscribe : checks.unsubscribeAdded
    case "sender":
      return check.domain === null ? checks.noSender : checks.sender(check.domain)
  }
}

interface ChecksProps {
  readonly kind: Kind
  readonly draft: Draft
  readonly message: ReturnType<typeof useMessage>["data"]
}

const Checks = ({ draft, kind, message }: ChecksProps) => {
  const words = useWords("emails")
  const format = useFormat()
  const html = message?.html ?? draft.html
  const pictures = useMemo(() => picturesIn(html), [html])
  const checks = checksOf({
    bytes: message?.bytes ?? new TextEncoder().encode(html).length,
    links: message?.links ?? linksIn(html),
    pictures,
    unresolved: message?.unresolved_tokens ?? [],
    offersUnsubscribe: kind === "tentTemplates" ? null : offersUnsubscribe(draft.html),
    fromAddress: kind === "emails" ? draft.fields.from_address : null,
  }).filter(({ name }) => kind === "emails" || name !== "tokens")
  return (
    <ul className="checks" aria-label={words.checks.title}>
      {checks.map((check) => (
        <li key={check.name}>
          <StatusBadge tone={check.tone} label={textOf(check, words, format.bytes)} />
        </li>
      ))}
    </ul>
  )
}

interface Props {
  readonly kind: Kind
  readonly draft: Draft
  readonly message: ReturnType<typeof useMessage>
  readonly contactId: string | null
  readonly onContact: (contactId: string | null) => void
}

export const MessagePreview = ({ contactId, draft, kind, message, onContact }: Props) => {
  const words = useWords("emails")
  const shell = useWords("shell")
  const [look, setLook] = useState<Look>("desktop")
  const [pictures, setPictures] = useState(false)
  const shown = kind === "emails" ? looks : looks.filter((each) => each !== "text")
  const { data } = message
  const html = data?.html ?? (kind === "emails" ? "" : draft.html)
  return (
    <Paper p="sm" component="section" aria-label={shell.preview.title}>
      <Stack gap="sm">
        <Group gap="xs" justify="space-between">
          <SegmentedControl
            size="xs"
            aria-label={words.look}
            value={look}
            data={shown.map((each) => ({ value: each, label: words.looks[each] }))}
            onChange={(next) => {
              if (isLook(next)) setLook(next)
            }}
          />
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setPictures(!pictures)}>
            {pictures ? words.hidePictures : shell.preview.pictures}
          </Button>
        </Group>
        {kind === "emails" && (
          <ContactPicker label={words.previewAs} value={contactId} chosenLabel={null} onChange={onContact} />
        )}
        {message.isError && <Problem error={message.error} onRetry={message.refetch} />}
        {data !== undefined && (
          <div className="mail-head">
            <Text size="sm" fw={600} truncate>
              {data.subject === "" ? words.noSubject : data.subject}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {draft.fields.from_name} {draft.fields.from_address}
            </Text>
          </div>
        )}
        {look === "text" ? (
          <Code block className="mail-text" tabIndex={0} role="region" aria-label={words.looks.text}>
            {data?.text ?? ""}
          </Code>
        ) : (
          <ScaledPreview
            html={html}
            isPhone={look === "phone"}
            phone_px={phone_px}
            desktop_px={desktop_px}
            height_px={height_px}
            scheme={look === "dark" ? "dark" : "light"}
            pictures={pictures}
          />
        )}
        <Checks kind={kind} draft={draft} message={data} />
      </Stack>
    </Paper>
  )
}
