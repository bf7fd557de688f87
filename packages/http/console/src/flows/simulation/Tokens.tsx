// Values that an entry into the flow brings along: `{{campaign.dynamic.<name>}}`.
import { ActionIcon, Button, Group, Stack, TextInput } from "@mantine/core"
import { CrossIcon, PlusIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"

export interface TokenRow {
  readonly name: string
  readonly value: string
}

/** Numbers and true and false are values of their own types, all else is text. */
const valueOf = (text: string): string | number | boolean => {
  if (text === "true" || text === "false") return text === "true"
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text
}

export const tokensOf = (rows: ReadonlyArray<TokenRow>): Readonly<Record<string, string | number | boolean>> =>
  Object.fromEntries(
    rows.flatMap(({ name, value }) => (name.trim() === "" ? [] : [[name.trim(), valueOf(value)] as const])),
  )

interface Props {
  readonly rows: ReadonlyArray<TokenRow>
  readonly onChange: (rows: ReadonlyArray<TokenRow>) => void
}

export const Tokens = ({ onChange, rows }: Props) => {
  const words = useWords("flows")
  const change = (at: number, next: TokenRow) => onChange(rows.map((each, index) => (index === at ? next : each)))
  return (
    <Stack gap={6} align="flex-start">
      {rows.map((row, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a row is known by its position: its name is being typed
        <Group key={at} gap={6} wrap="nowrap">
          <TextInput
            size="xs"
            aria-label={words.tokenName}
            placeholder={words.tokenExample}
            value={row.name}
            onChange={({ currentTarget }) => change(at, { ...row, name: currentTarget.value })}
          />
          <TextInput
            size="xs"
            aria-label={words.tokenValue}
            placeholder={words.tokenValue}
            value={row.value}
            onChange={({ currentTarget }) => change(at, { ...row, value: currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={words.removeToken(row.name)}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          >
            <CrossIcon size={15} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<PlusIcon size={14} />}
        onClick={() => onChange([...rows, { name: "", value: "" }])}
      >
        {words.addTokenValue}
      </Button>
    </Stack>
  )
}
