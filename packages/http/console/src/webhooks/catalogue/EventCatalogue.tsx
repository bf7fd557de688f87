// The catalogue of event types: what each means, the fields of its data, and an example.
import "../webhooks.css"
import { Code, Grid, Paper, Skeleton, Stack, Table, Text, UnstyledButton } from "@mantine/core"
import type { EventTypes } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { DownIcon, UpIcon } from "../../Icons.tsx"
import { BackLink } from "../../parts/BackLink.tsx"
import { CopyButton, CurlButton } from "../../parts/Copy.tsx"
import { SearchField } from "../../parts/fields/SearchField.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { groupOf } from "../patterns.ts"
import type { CatalogueSearch } from "../search.ts"
import { useCatalogue } from "../useEventTypes.ts"
import { useGroupName } from "../useGroupName.ts"
import { fieldsOf, type SchemaField } from "./schemaFields.ts"

type EventType = EventTypes["event_types"][number]

const indent = 2

const Contains = ({ field: { isAlways, isNullable, kinds, values } }: { readonly field: SchemaField }) => {
  const words = useWords("webhooks").catalogueWords
  const texts = [...kinds.map((kind) => words.kinds[kind]), ...values, ...(isNullable ? [words.orNull] : [])]
  return (
    <Text size="xs" c="dimmed" component="span" display="block">
      {texts.join(", ")}
      {!isAlways && ` · ${words.mayBeAbsent}`}
    </Text>
  )
}

const Fields = ({ type: { schema, type } }: { readonly type: EventType }) => {
  const words = useWords("webhooks").catalogueWords
  const fields = fieldsOf(schema)
  return (
    <Table.ScrollContainer
      minWidth={260}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": words.fieldsOf(type) } }}
    >
      <Table fz="sm" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.field}</Table.Th>
            <Table.Th>{words.contains}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map((field) => (
            <Table.Tr key={field.path}>
              <Table.Td>
                <code>{field.path}</code>
              </Table.Td>
              <Table.Td>
                {field.description !== null && (
                  <span lang="en" className="small">
                    {field.description}
                  </span>
                )}
                <Contains field={field} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const Content = ({ type }: { readonly type: EventType }) => {
  const words = useWords("webhooks").catalogueWords
  const example = JSON.stringify(type.example, null, indent)
  return (
    <Grid gap="md" p="md" pt="xs">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Fields type={type} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <div className="example">
          <Code block className="curl" tabIndex={0} role="region" aria-label={words.exampleOf(type.type)}>
            {example}
          </Code>
          <CopyButton value={example} label={words.exampleOf(type.type)} />
        </div>
      </Grid.Col>
    </Grid>
  )
}

interface RowProps {
  readonly type: EventType
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
}

const Row = ({ isOpen, onOpen, type }: RowProps) => {
  const row = useRef<HTMLLIElement>(null)
  const [isOfAddress] = useState(isOpen)
  useEffect(() => {
    if (isOfAddress) row.current?.scrollIntoView({ block: "center" })
  }, [isOfAddress])
  return (
    <li ref={row} className="catalogue-row">
      <UnstyledButton aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
        <code>{type.type}</code>
        <span lang="en">{type.description}</span>
        {isOpen ? <UpIcon size={16} /> : <DownIcon size={16} />}
      </UnstyledButton>
      {isOpen && <Content type={type} />}
    </li>
  )
}

const isFound = ({ description, type }: EventType, text: string): boolean =>
  `${type} ${description}`.toLowerCase().includes(text.trim().toLowerCase())

const Groups = ({ types }: { readonly types: ReadonlyArray<EventType> }) => {
  const words = useWords("webhooks").catalogueWords
  const groupName = useGroupName()
  const { search = "", type: open } = useSearch({ from: "/webhooks/events" })
  const navigate = useNavigate({ from: "/webhooks/events" })
  const found = types.filter((each) => isFound(each, search))
  const go = (next: CatalogueSearch) => void navigate({ search: next, replace: true, resetScroll: false })
  const searched = search === "" ? {} : { search }
  if (found.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {words.none}
      </Text>
    )
  }
  return (
    <Stack gap="lg">
      {[...Map.groupBy(found, ({ type }) => groupOf(type))].map(([group, its]) => (
        <section key={group} aria-label={groupName(group)}>
          <Text component="h2" fw={600} size="sm" m={0} mb="xs">
            {groupName(group)}
          </Text>
          <Paper component="ul" className="catalogue">
            {its.map((type) => (
              <Row
                key={type.type}
                type={type}
                isOpen={open === type.type}
                onOpen={(isOpen) => go({ ...searched, ...(isOpen ? { type: type.type } : {}) })}
              />
            ))}
          </Paper>
        </section>
      ))}
    </Stack>
  )
}

export const EventCatalogue = () => {
  const words = useWords("webhooks")
  const { search = "" } = useSearch({ from: "/webhooks/events" })
  const navigate = useNavigate({ from: "/webhooks/events" })
  const { data, error, refetch } = useCatalogue()
  return (
    <>
      <PageHeader
        above={<BackLink to="/webhooks" label={words.title} />}
        title={words.catalogue}
        text={words.catalogueWords.text}
        beside={data !== undefined && <span className="count">{data.event_types.length}</span>}
        actions={<CurlButton call={["events", "types"]} />}
      />
      <div className="filters">
        <SearchField
          label={words.catalogueWords.search}
          value={search}
          onChange={(text) =>
            void navigate({
              search: ({ type }) => ({
                ...(text === "" ? {} : { search: text }),
                ...(type === undefined ? {} : { type }),
              }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      {error !== null && <Problem error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Skeleton className="late" h={420} radius="lg" />}
      {data !== undefined && <Groups types={data.event_types} />}
    </>
  )
}
