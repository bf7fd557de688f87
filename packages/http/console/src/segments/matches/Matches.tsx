// How many contacts match now, the newest of them with the conditions that each matches, and what is not finished.
import { ActionIcon, Group, Paper, Skeleton, Stack, Text } from "@mantine/core"
import type { FoundContact } from "@tentpole/client"
import { Link } from "@tanstack/react-router"
import { useEffect } from "react"
import { nameOf } from "../../contacts/person.ts"
import { useFormat } from "../../format.ts"
import { HelpIcon } from "../../Icons.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { problemOf } from "../../api/problems.ts"
import { announce } from "../../shell/Announcer.tsx"
import { useWords } from "../../words/Words.tsx"
import { numberOf } from "../ruleTree.ts"
import type { LivePreview } from "./usePreview.ts"

interface Props {
  readonly preview: LivePreview
  /** Conditions and groups that are not finished. */
  readonly unfinished: number
  readonly isEmpty: boolean
  readonly onTry: (contact: FoundContact) => void
}

const Sample = ({ contacts, onTry }: { readonly contacts: ReadonlyArray<FoundContact> } & Pick<Props, "onTry">) => {
  const words = useWords("segments")
  return (
    <ul className="found">
      {contacts.map((contact) => (
        <li key={contact.contact_id}>
          <div className="found-name">
            <Link to="/contacts/$contactId" params={{ contactId: contact.contact_id }} className="link">
              {nameOf(contact)}
            </Link>
            {(contact.matched ?? []).length > 0 && (
              <Text size="xs" c="dimmed">
                {words.held((contact.matched ?? []).map(numberOf).join(", "))}
              </Text>
            )}
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={words.why(nameOf(contact))}
            title={words.whyShort}
            onClick={() => onTry(contact)}
          >
            <HelpIcon size={16} />
          </ActionIcon>
        </li>
      ))}
    </ul>
  )
}

/** A refusal whose issues stand at their rows is not repeated here. */
const isAtRows = (error: unknown): boolean => problemOf(error).issues.some(({ path }) => path.includes("conditions."))

const Count = ({ isStale, preview }: { readonly isStale: boolean; readonly preview: LivePreview }) => {
  const words = useWords("segments")
  const { number } = useFormat()
  const { data } = preview.answer
  if (data === undefined) return <Skeleton className="late" h={34} w={140} />
  return (
    <Group gap={8} align="baseline" className="match-count" data-stale={isStale || undefined}>
      <Text span fw={650} className="figure">
        {number(data.count)}
      </Text>
      <Text span size="sm" c="dimmed">
        {words.matchNow(data.count)}
      </Text>
    </Group>
  )
}

export const Matches = ({ isEmpty, onTry, preview, unfinished }: Props) => {
  const words = useWords("segments")
  const { answer, isStale } = preview
  const { data, error } = answer
  const count = data?.count
  useEffect(() => {
    if (!isStale && count !== undefined) announce(words.count(count))
  }, [isStale, count, words])
  if (isEmpty) {
    return (
      <Paper p="md">
        <Text fw={600} size="sm">
          {words.noRules}
        </Text>
        <Text size="sm" c="dimmed">
          {words.noRulesText}
        </Text>
      </Paper>
    )
  }
  return (
    <Paper p="md" component="section" aria-label={words.people(count ?? 0)}>
      <Stack gap="xs">
        {(data !== undefined || (unfinished === 0 && error === null)) && <Count preview={preview} isStale={isStale} />}
        {unfinished > 0 && (
          <div role="status">
            <Text size="sm" fw={600}>
              {words.unfinished(unfinished)}
            </Text>
            <Text size="sm" c="dimmed">
              {words.unfinishedText}
            </Text>
          </div>
        )}
        {unfinished === 0 && error !== null && !isAtRows(error) && <Problem error={error} onRetry={answer.refetch} />}
        {data?.count === 0 && !isStale && (
          <Text size="sm" c="dimmed">
            {words.noMatch}
          </Text>
        )}
        {data !== undefined && data.sample.length > 0 && (
          <>
            <Text size="xs" fw={600} c="dimmed" component="h2" m={0}>
              {words.newest(data.sample.length)}
            </Text>
            <Sample contacts={data.sample} onTry={onTry} />
          </>
        )}
      </Stack>
    </Paper>
  )
}
