// Many pages at once: a table pasted from a spreadsheet, the rows that the service rejected, and the progress of the rest.
import { Button, Checkbox, Group, Paper, Stack, Text, Textarea, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { BackLink } from "../../parts/BackLink.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { choices_max, Picker } from "../../parts/fields/Picker.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { variablesIn } from "../tent.ts"
import { BulkProgress } from "./BulkProgress.tsx"
import { BulkRows } from "./BulkRows.tsx"
import { items_max, itemsOf, rejectedIn, type Table, tableOf } from "./table.ts"

interface Options {
  readonly prefix: string
  readonly isPublished: boolean
}

/** The approved template, and the names of its variables. */
const useTemplate = (templateId: string | null) => {
  const params = { templateId: templateId ?? "" }
  const found = useQuery({ ...queryOf("tentTemplates", "find", { params }), enabled: templateId !== null })
  const version = found.data?.approved_version ?? null
  const content = useQuery({
    ...queryOf("tentTemplates", "content", { params, ...(version === null ? {} : { query: { version } }) }),
    enabled: version !== null,
  })
  return {
    name: found.data?.name ?? null,
    variables: content.data === undefined ? [] : variablesIn(content.data).map(({ name }) => name),
  }
}

interface SetupProps {
  readonly templateId: string | null
  readonly onTemplate: (templateId: string | null) => void
  readonly name: string | null
  readonly variables: ReadonlyArray<string>
  readonly options: Options
  readonly onOptions: (options: Options) => void
}

const Setup = ({ name, onOptions, onTemplate, options, templateId, variables }: SetupProps) => {
  const words = useWords("tents")
  const { may } = useSession()
  return (
    <Stack gap="sm">
      <Picker
        label={words.template}
        value={templateId}
        chosenLabel={name}
        source={(search) =>
          queryOf("tentTemplates", "list", {
            query: { status: "approved", limit: choices_max, ...(search === "" ? {} : { search }) },
          })
        }
        choicesOf={({ templates }) => templates.map((each) => ({ value: each.template_id, label: each.name }))}
        onChange={onTemplate}
      />
      <Text size="xs" c="dimmed">
        {words.bulkTemplateText} {variables.length > 0 && words.hasVariables(variables.join(", "))}{" "}
        <Link to="/templates" className="link inline">
          {words.templatesLink}
        </Link>
      </Text>
      <TextInput
        label={words.prefix}
        description={words.prefixText}
        maxLength={180}
        value={options.prefix}
        onChange={({ currentTarget }) => onOptions({ ...options, prefix: currentTarget.value })}
      />
      <Checkbox
        label={words.publishEach}
        description={may("sender") ? undefined : words.needsSender}
        disabled={!may("sender")}
        checked={options.isPublished}
        onChange={({ currentTarget }) => onOptions({ ...options, isPublished: currentTarget.checked })}
      />
    </Stack>
  )
}

const usePasting = () => {
  const asked = useSearch({ from: "/tents/bulk" })
  const navigate = useNavigate({ from: "/tents/bulk" })
  const [options, setOptions] = useState<Options>({ prefix: "", isPublished: false })
  const [table, setTable] = useState<Table | null>(null)
  const templateId = asked.template ?? null
  const template = useTemplate(templateId)
  const items = table === null ? [] : itemsOf(table)
  const payload = {
    template_id: templateId ?? "",
    items,
    ...(options.prefix.trim() === "" ? {} : { default_tent_name_prefix: options.prefix.trim() }),
    ...(options.isPublished ? { auto_publish: true } : {}),
  }
  const create = useMutationOf("bulkTents", "create", {
    onDone: ({ bulk_job_id, items: answered }) => {
      const rejected = answered.flatMap((item) => (item.status === "rejected" ? [item] : []))
      setTable((before) => (before === null || rejected.length === 0 ? null : rejectedIn(before, rejected)))
      return navigate({ search: { ...asked, job: bulk_job_id }, replace: true })
    },
  })
  return { asked, navigate, options, setOptions, table, setTable, templateId, template, items, payload, create }
}

export const Bulk = () => {
  const words = useWords("tents")
  const { asked, create, items, navigate, options, payload, setOptions, setTable, table, template, templateId } =
    usePasting()
  const isReady = templateId !== null && items.length > 0 && items.length <= items_max
  return (
    <>
      <PageHeader
        above={<BackLink to="/tents" label={words.title} />}
        title={words.bulkTitle}
        text={words.bulkText(items_max)}
        actions={<CurlButton call={["bulkTents", "create", { payload }]} />}
      />
      <Stack>
        {asked.job !== undefined && <BulkProgress jobId={asked.job} />}
        <Paper p="md" component="section" aria-label={words.bulkTitle}>
          <Stack>
            <Setup
              templateId={templateId}
              name={template.name}
              variables={template.variables}
              options={options}
              onOptions={setOptions}
              onTemplate={(next) =>
                void navigate({ search: next === null ? {} : { template: next }, replace: true, resetScroll: false })
              }
            />
            {table === null ? (
              <Textarea
                label={words.paste}
                description={words.pasteText}
                placeholder={words.pasteExample}
                autosize
                minRows={5}
                maxRows={10}
                value=""
                onChange={({ currentTarget }) => {
                  const read = tableOf(currentTarget.value, template.variables)
                  if (read.rows.length > 0) setTable(read)
                }}
              />
            ) : (
              <BulkRows table={table} variables={template.variables} onChange={setTable} />
            )}
            {create.isError && <Problem error={create.error} />}
            {table !== null && (
              <Group justify="flex-end" gap="xs">
                {items.length > items_max && (
                  <Text size="sm" c="var(--mantine-color-error)">
                    {words.tooManyRows(items_max)}
                  </Text>
                )}
                <Button variant="default" onClick={() => setTable(null)}>
                  {words.startAgain}
                </Button>
                <Button disabled={!isReady} loading={create.isPending} onClick={() => create.mutate({ payload })}>
                  {words.makeMany(items.length)}
                </Button>
              </Group>
            )}
          </Stack>
        </Paper>
      </Stack>
    </>
  )
}
