// Step 2: where each column goes, and how the rows are treated.
import { Alert, Button, Group, Paper, Stack, Text } from "@mantine/core"
import type { AvailableField, ImportPreview } from "@tentpole/client"
import { useState } from "react"
import { problemOf } from "../../api/problems.ts"
import { RefreshIcon, WarningIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { ColumnRow } from "./ColumnRow.tsx"
import { type Column, columnProblem, type Draft, headerOfIssue, type Problem } from "./draft.ts"
import { Options } from "./Options.tsx"
import { SenderMissing, useProblems } from "./SenderMissing.tsx"

export interface StepProps {
  readonly preview: ImportPreview
  readonly fields: ReadonlyMap<string, AvailableField>
  readonly draft: Draft
  readonly onDraft: (change: (before: Draft) => Draft) => void
  /** The refusal of a start, whose issues are shown at their columns. */
  readonly error: unknown
}

interface Props extends StepProps {
  readonly onNext: () => void
  readonly onReload: () => void
  readonly isReloading: boolean
}

/** Columns that are shown at once: a file may have thousands. */
const page_size = 100

/** The first problem that no column shows. */
const Block = ({ problem }: { readonly problem: Problem | undefined }) => {
  const words = useWords("imports")
  if (problem === "from_address" || problem === "sender_domain") return <SenderMissing lack={problem} />
  const texts = { consent: words.consentMissing, no_identity: words.noIdentity, no_email: words.noEmail }
  if (problem !== "consent" && problem !== "no_identity" && problem !== "no_email") return null
  return (
    <Alert color="yellow" icon={<WarningIcon />} role="status">
      {texts[problem]}
    </Alert>
  )
}

const Head = ({ isReloading, onReload }: Pick<Props, "isReloading" | "onReload">) => {
  const words = useWords("imports")
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed">
          {words.columnsText}
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<RefreshIcon size={15} />}
          loading={isReloading}
          onClick={onReload}
        >
          {words.readAgain}
        </Button>
      </Group>
      <div className="column-line column-head" aria-hidden="true">
        {[words.column, words.goesTo, words.sample, words.why].map((label) => (
          <span key={label}>{label}</span>
        ))}
      </div>
    </>
  )
}

export const ColumnsStep = (props: Props) => {
  const { draft, error, fields, isReloading, onDraft, onNext, onReload, preview } = props
  const words = useWords("imports")
  const shell = useWords("shell")
  const [shown, setShown] = useState(page_size)
  const problems = useProblems(draft)
  const issues = error === null ? [] : problemOf(error).issues
  const issuesOf = (header: string) =>
    issues.filter(({ path }) => headerOfIssue(draft, path) === header).map(({ message }) => message)
  const setColumn = (column: Column) =>
    onDraft((before) => ({
      ...before,
      columns: before.columns.map((each) => (each.header === column.header ? column : each)),
    }))
  return (
    <div className="import">
      <Paper p="md" component="section" aria-label={words.steps.columns}>
        <Head isReloading={isReloading} onReload={onReload} />
        <ul className="columns">
          {draft.columns.slice(0, shown).map((column) => (
            <ColumnRow
              key={column.header}
              column={column}
              preview={preview}
              fields={fields}
              isSuppressions={draft.as === "suppressions"}
              problem={columnProblem(draft, column)}
              issues={issuesOf(column.header)}
              onColumn={setColumn}
              onReload={onReload}
            />
          ))}
        </ul>
        {draft.columns.length > shown && (
          <Button size="compact-sm" variant="default" mt="sm" onClick={() => setShown(shown + page_size)}>
            {words.moreColumns(draft.columns.length - shown)}
          </Button>
        )}
      </Paper>
      <Stack gap="md">
        <Paper p="md" component="section" aria-label={words.options}>
          <Options
            draft={draft}
            fields={fields}
            onDraft={(change) => onDraft((before) => ({ ...before, ...change }))}
          />
        </Paper>
        <Block problem={problems[0]} />
        <Group justify="flex-end">
          <Button disabled={problems.length > 0} onClick={onNext}>
            {shell.next}
          </Button>
        </Group>
      </Stack>
    </div>
  )
}
