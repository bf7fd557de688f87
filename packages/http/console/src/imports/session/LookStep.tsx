// Step 3: the first rows as they will be imported, what cannot be read, and the start.
import { Button, Group, List, Paper, Stack, Table, Text } from "@mantine/core"
import { fieldLabel } from "../../contacts/fieldLabels.ts"
import { useFormat } from "../../format.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { problemOf } from "../../api/problems.ts"
import { useActiveTopics } from "../../topics/TopicSelect.tsx"
import { useWords } from "../../words/Words.tsx"
import type { StepProps } from "./ColumnsStep.tsx"
import {
  type Draft,
  asksPeople,
  changesTargets,
  executionOf,
  headerOfIssue,
  namesTopics,
  nameOf,
  newFields,
  topicsOfColumns,
  usedColumns,
} from "./draft.ts"
import { senderLackIn } from "./sender.ts"
import { SenderMissing, useProblems } from "./SenderMissing.tsx"

interface Props extends StepProps {
  readonly sessionId: string
  readonly isPending: boolean
  readonly onBack: () => void
  readonly onStart: () => void
}

const shown_issues_max = 10

/** The issues of the sample whose column still goes where the service put it: they are of its proposals. */
const issuesIn = ({ draft, preview }: Pick<Props, "draft" | "preview">) => {
  const targets = new Map(draft.columns.map(({ header, target }) => [header, nameOf(target)]))
  return preview.sample_issues.filter(
    ({ header, target_field }) => header === null || targets.get(header) === target_field,
  )
}

const useLabels = ({ draft, fields }: Pick<Props, "draft" | "fields">) => {
  const contacts = useWords("contacts")
  return usedColumns(draft).map(({ header, target }) => {
    if (target.kind === "new") return { header, label: target.field.display_name }
    if (target.kind === "topic") return { header, label: target.name }
    const field = fields.get(nameOf(target) ?? "")
    return { header, label: field === undefined ? (nameOf(target) ?? "") : fieldLabel(contacts, field) }
  })
}

const Sample = (props: Pick<Props, "draft" | "fields" | "preview">) => {
  const words = useWords("imports")
  const columns = useLabels(props)
  return (
    <Table.ScrollContainer type="native" minWidth={320} tabIndex={0} role="region" aria-label={words.lookText}>
      <Table withTableBorder verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ header, label }) => (
              <Table.Th key={header} className="nowrap">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {props.preview.sample_rows.map((row, index) => (
            // Rows of a file have their place only.
            <Table.Tr key={`row ${index + 1}`}>
              {columns.map(({ header }) => (
                <Table.Td key={header} className="small sample-cell">
                  {row[header]}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const Summary = ({ draft }: { readonly draft: Draft }) => {
  const words = useWords("imports")
  const { number } = useFormat()
  const used = usedColumns(draft)
  const left = draft.columns.filter((column) => !used.includes(column)).map(({ header }) => header)
  const fresh = newFields(draft).map(({ display_name }) => display_name)
  const isContacts = draft.as === "contacts"
  const mapped = topicsOfColumns(draft)
  const topics = (useActiveTopics() ?? []).filter(
    ({ topic_id }) => mapped.has(topic_id) || draft.consent.topics.includes(topic_id),
  )
  return (
    <List size="sm" spacing={4}>
      <List.Item>{words.targetText[draft.as]}</List.Item>
      <List.Item>{words.columnsUsed(number(used.length), number(draft.columns.length))}</List.Item>
      {left.length > 0 && <List.Item className="break">{words.leftOut(left.slice(0, 20).join(", "))}</List.Item>}
      {isContacts && fresh.length > 0 && <List.Item>{words.fieldsCreated(fresh.join(", "))}</List.Item>}
      {isContacts && draft.lists.length > 0 && (
        <List.Item>{words.toLists(draft.lists.map(({ name }) => name).join(", "))}</List.Item>
      )}
      {namesTopics(draft) && <List.Item>{words.toTopics(topics.map(({ name }) => name).join(", "))}</List.Item>}
      {asksPeople(draft) && <List.Item>{words.toConfirm}</List.Item>}
      {isContacts && (
        <List.Item>
          {words.existing}: {words.existingChoices[draft.existing]}
        </List.Item>
      )}
    </List>
  )
}

const Issues = (props: Pick<Props, "draft" | "preview">) => {
  const words = useWords("imports")
  const { number } = useFormat()
  const issues = issuesIn(props)
  if (issues.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {changesTargets(props.draft, props.preview) ? words.issuesLater : words.issuesNone}
      </Text>
    )
  }
  return (
    <div>
      <Text size="sm" fw={550} mb={4}>
        {words.issues(issues.length)}
      </Text>
      <List size="sm" spacing={4}>
        {issues.slice(0, shown_issues_max).map(({ code, header, message, row_number, value }) => (
          <List.Item key={`${row_number} ${header ?? ""}`} className="break">
            {words.issueAt(number(row_number), header ?? "–")}
            {value !== null && `: “${value}”`} – {words.issueText(code, message)}
          </List.Item>
        ))}
      </List>
    </div>
  )
}

export const LookStep = (props: Props) => {
  const { draft, error, fields, isPending, onBack, onStart, sessionId } = props
  const words = useWords("imports")
  const shell = useWords("shell")
  const isReady = useProblems(draft).length === 0
  const atColumns = error !== null && problemOf(error).issues.some(({ path }) => headerOfIssue(draft, path) !== null)
  const payload = executionOf(draft, fields)
  const lack = senderLackIn(error)
  return (
    <Stack>
      <Paper p="md" component="section" aria-label={words.steps.look}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {words.lookText}
          </Text>
          <Sample {...props} />
          <Issues {...props} />
          <Summary draft={draft} />
        </Stack>
      </Paper>
      {error !== null && (lack === null ? <Problem error={error} /> : <SenderMissing lack={lack} />)}
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          {atColumns ? words.mendColumns : shell.back}
        </Button>
        <Group gap="xs">
          <CurlButton call={["imports", "execute", { params: { session_id: sessionId }, payload }]} />
          <Button disabled={!isReady} loading={isPending} onClick={onStart}>
            {words.start[draft.as]}
          </Button>
        </Group>
      </Group>
    </Stack>
  )
}
