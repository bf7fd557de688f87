// Whether a contact matches the rules, and why: each condition with the contact's own value.
import { Group, Paper, Skeleton, Stack, Text } from "@mantine/core"
import type { ExplainedCondition, SegmentExplanation } from "@tentpole/client"
import type { UseQueryResult } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { ContactPicker } from "../../contacts/ContactPicker.tsx"
import { useFormat } from "../../format.ts"
import { CheckIcon, CrossIcon } from "../../Icons.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { fromCondition, numberOf } from "../ruleTree.ts"
import { useRuleTexts } from "../useRuleTexts.ts"
import type { Vocabulary } from "../vocabulary.ts"

export interface Tried {
  readonly contactId: string
  readonly name: string | null
}

/** The contact's own value as the person reads it. */
const HasValue = ({ condition, value }: Pick<ExplainedCondition, "condition" | "value">) => {
  const words = useWords("segments")
  const shell = useWords("shell")
  const { date, dateTime, number } = useFormat()
  if (condition.source === "list_membership") return value === true ? words.onList : words.notOnList
  if (value === null) return condition.source === "activity" ? words.hasNever : words.hasNothing
  if (typeof value === "boolean") return value ? shell.yes : shell.no
  if (typeof value === "number") return number(value)
  if (typeof value === "object") return value.join(", ")
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return date(value)
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? dateTime(value) : `“${value}”`
}

interface ListProps {
  readonly conditions: ReadonlyArray<ExplainedCondition>
  readonly vocabulary: Vocabulary
}

/** Each condition with its number, its sentence, and the contact's value. */
export const ExplainedConditions = ({ conditions, vocabulary }: ListProps) => {
  const words = useWords("segments")
  const texts = useRuleTexts(
    conditions.map(({ condition }) => fromCondition(condition)),
    vocabulary,
  )
  return (
    <ol className="explained">
      {conditions.map(({ condition, held, path, value }, index) => (
        <li key={path}>
          <span className="held" data-held={held} role="img" aria-label={held ? words.yes : words.no}>
            {held ? <CheckIcon size={14} /> : <CrossIcon size={14} />}
          </span>
          <div>
            <Text size="sm" className="break">
              <span className="rule-number">{numberOf(path)}</span> {texts[index]}
            </Text>
            <Text size="xs" c="dimmed" className="break">
              {words.has} <HasValue condition={condition} value={value} />
            </Text>
          </div>
        </li>
      ))}
    </ol>
  )
}

interface Props {
  readonly tried: Tried | null
  readonly onTried: (tried: Tried | null) => void
  readonly explanation: UseQueryResult<SegmentExplanation>
  readonly vocabulary: Vocabulary
}

const Verdict = ({ explanation, tried, vocabulary }: Omit<Props, "onTried"> & { readonly tried: Tried }) => {
  const words = useWords("segments")
  if (explanation.error !== null) return <Problem error={explanation.error} onRetry={explanation.refetch} />
  const { data } = explanation
  if (data === undefined) return <Skeleton className="late" h={80} />
  const name = tried.name ?? words.person
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="space-between">
        <Text size="sm" fw={600} role="status">
          {data.matches ? words.matches(name) : words.matchesNot(name)}
        </Text>
        <Link to="/contacts/$contactId" params={{ contactId: tried.contactId }} className="link small">
          {words.openPerson}
        </Link>
      </Group>
      <ExplainedConditions conditions={data.conditions} vocabulary={vocabulary} />
    </Stack>
  )
}

export const TryPerson = ({ onTried, tried, ...rest }: Props) => {
  const words = useWords("segments")
  return (
    <Paper p="md" component="section" aria-label={words.try}>
      <Stack gap="sm">
        <div>
          <Text fw={600} size="sm" component="h2" m={0}>
            {words.try}
          </Text>
          {tried === null && (
            <Text size="sm" c="dimmed">
              {words.tryText}
            </Text>
          )}
        </div>
        <ContactPicker
          isCompact
          label={words.person}
          value={tried?.contactId ?? null}
          chosenLabel={tried?.name ?? null}
          onChange={(contactId, choice) =>
            onTried(contactId === null ? null : { contactId, name: choice?.label ?? null })
          }
        />
        {tried !== null && <Verdict {...rest} tried={tried} />}
      </Stack>
    </Paper>
  )
}
