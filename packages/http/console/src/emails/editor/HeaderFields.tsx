// The fields of an email or template: name, subject, preview text, sender. Tokens are inserted at the cursor.
import { ActionIcon, Menu, SimpleGrid, Stack, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useRef } from "react"
import { BracesIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { tokensQuery } from "./calls.ts"
import { type Fields, fieldsOf, type Kind, lengths_max } from "../written.ts"

/** Fields whose text may have tokens. */
const withTokens: ReadonlyArray<keyof Fields> = ["subject", "preview_text", "from_name"]

/** A text input by its field, for those that lead to it. */
export const inputId = (name: keyof Fields): string => `field-${name}`

interface MenuProps {
  readonly label: string
  readonly onToken: (token: string) => void
}

const TokenMenu = ({ label, onToken }: MenuProps) => {
  const words = useWords("emails")
  const { data } = useQuery({ ...tokensQuery, staleTime: 60_000 })
  const sources = [...new Set(data?.tokens.map(({ source }) => source) ?? [])]
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={26} aria-label={words.insertToken(label)}>
          <BracesIcon size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah={320} className="scroll">
        {sources.map((source) => [
          <Menu.Label key={source}>{words.tokenSources[source]}</Menu.Label>,
          ...(data?.tokens ?? [])
            .filter((each) => each.source === source)
            .map(({ label: text, token }) => (
              <Menu.Item key={token} onClick={() => onToken(token)}>
                {text}
              </Menu.Item>
            )),
        ])}
      </Menu.Dropdown>
    </Menu>
  )
}

interface FieldProps {
  readonly name: keyof Fields
  readonly value: string
  readonly error: string | undefined
  readonly isReadOnly: boolean
  readonly onChange: (text: string) => void
}

const Field = ({ error, isReadOnly, name, onChange, value }: FieldProps) => {
  const words = useWords("emails")
  const input = useRef<HTMLInputElement>(null)
  const label = words.fields[name]
  const insert = (token: string) => {
    const at = input.current?.selectionStart ?? value.length
    const end = input.current?.selectionEnd ?? at
    const text = `{{${token}}}`
    onChange(value.slice(0, at) + text + value.slice(end))
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(at + text.length, at + text.length)
    })
  }
  return (
    <TextInput
      ref={input}
      id={inputId(name)}
      label={label}
      value={value}
      error={error}
      readOnly={isReadOnly}
      maxLength={lengths_max[name]}
      type={name === "from_address" || name === "reply_to_email" ? "email" : "text"}
      rightSection={withTokens.includes(name) && !isReadOnly ? <TokenMenu label={label} onToken={insert} /> : undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

interface Props {
  readonly kind: Kind
  readonly fields: Fields
  readonly errors: Readonly<Record<string, string>>
  readonly isReadOnly: boolean
  readonly onChange: (name: keyof Fields, text: string) => void
}

export const HeaderFields = ({ errors, fields, isReadOnly, kind, onChange }: Props) => {
  const field = (name: keyof Fields) => (
    <Field
      key={name}
      name={name}
      value={fields[name]}
      error={errors[name]}
      isReadOnly={isReadOnly}
      onChange={(text) => onChange(name, text)}
    />
  )
  const names = fieldsOf[kind]
  const single = names.filter((name) => name === "subject" || name === "preview_text")
  const beside = names.filter((name) => name !== "subject" && name !== "preview_text")
  return (
    <Stack gap="xs">
      {single.map(field)}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" verticalSpacing="xs">
        {beside.map(field)}
      </SimpleGrid>
    </Stack>
  )
}
