// Headers of the requests. Their values are written and never read: one that stays empty keeps its value.
import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from "@mantine/core"
import { CrossIcon, PlusIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { type Header, headers_max } from "./draft.ts"

interface Props {
  /** Names of those that are set. */
  readonly before: ReadonlyArray<string>
  /** Null: they stay. */
  readonly value: ReadonlyArray<Header> | null
  readonly errors: Readonly<Record<string, string>>
  readonly onChange: (headers: ReadonlyArray<Header> | null) => void
}

const Rows = ({ before, errors, onChange, value }: Props & { readonly value: ReadonlyArray<Header> }) => {
  const words = useWords("webhooks")
  const shell = useWords("shell")
  const set = (index: number, change: Partial<Header>) =>
    onChange(value.map((each, at) => (at === index ? { ...each, ...change } : each)))
  return value.map((header, index) => (
    <Group
      // Rows have no other identity.
      key={`${index} of ${value.length}`}
      gap={6}
      wrap="nowrap"
      align="flex-start"
      role="group"
      aria-label={words.header(index + 1)}
    >
      <TextInput
        size="xs"
        className="grow"
        aria-label={words.headerName}
        placeholder={words.headerName}
        value={header.name}
        error={errors[`headers.${header.name.trim()}`]}
        autoComplete="off"
        onChange={({ currentTarget }) => set(index, { name: currentTarget.value })}
      />
      <TextInput
        size="xs"
        className="grow"
        aria-label={words.headerValue}
        placeholder={before.includes(header.name.trim().toLowerCase()) ? "•••" : words.headerValue}
        value={header.value}
        autoComplete="off"
        onChange={({ currentTarget }) => set(index, { value: currentTarget.value })}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${shell.delete}: ${words.header(index + 1)}`}
        onClick={() => onChange(value.filter((_, at) => at !== index))}
      >
        <CrossIcon size={16} />
      </ActionIcon>
    </Group>
  ))
}

export const HeadersField = ({ before, errors, onChange, value }: Props) => {
  const words = useWords("webhooks")
  const empty = { name: "", value: "" }
  if (value === null) {
    return (
      <Group justify="space-between" gap="xs">
        <Text size="sm" className="break">
          {before.map((name) => `${name}: •••`).join(", ")}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onChange(before.map((name) => ({ name, value: "" })))}
        >
          {words.replaceHeaders}
        </Button>
      </Group>
    )
  }
  return (
    <Stack gap={6}>
      <Text size="xs" c="dimmed">
        {before.length === 0 ? words.headersText : words.headersAgain}
      </Text>
      <Rows before={before} value={value} errors={errors} onChange={onChange} />
      {errors["headers"] !== undefined && <Input.Error>{errors["headers"]}</Input.Error>}
      <Group gap="xs">
        {value.length < headers_max && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<PlusIcon size={14} />}
            onClick={() => onChange([...value, empty])}
          >
            {words.addHeader}
          </Button>
        )}
        {before.length > 0 && (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onChange(null)}>
            {words.keepHeaders}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
