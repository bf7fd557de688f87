// A field that chooses one thing of thousands: it asks the API while the person types, and never lists all.
import { Combobox, Input, InputBase, Loader, useCombobox } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useWords } from "../../words/Words.tsx"

export interface Choice {
  readonly value: string
  readonly label: string
  readonly detail?: string | null
}

/** Entries that a picker asks for. */
export const choices_max = 25

const rest_ms = 200

interface Source<Data> {
  readonly queryKey: ReadonlyArray<unknown>
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>
}

interface Props<Data> {
  readonly label: string
  readonly placeholder?: string
  readonly value: string | null
  /** The text of the chosen value, which may not be among the found ones. */
  readonly chosenLabel?: string | null
  readonly onChange: (value: string | null, choice: Choice | null) => void
  /** The query for a text: `(search) => queryOf("lists", "list", { query: { search, limit: choices_max } })`. */
  readonly source: (search: string) => Source<Data>
  readonly choicesOf: (data: Data) => ReadonlyArray<Choice>
  readonly error?: string | undefined
  /** As small as the other controls of a row; its name is not shown. */
  readonly isCompact?: boolean
  readonly isDisabled?: boolean
}

export const Picker = <Data,>(props: Props<Data>) => {
  const { chosenLabel, choicesOf, error, isCompact = false, isDisabled = false } = props
  const { label, onChange, placeholder, source, value } = props
  const words = useWords("shell")
  const [text, setText] = useState<string | null>(null)
  const [picked, setPicked] = useState<Choice | null>(null)
  const [search] = useDebouncedValue(text ?? "", rest_ms)
  const found = useQuery({ ...source(search.trim()), placeholderData: keepPreviousData })
  const { isPending } = found
  const choices = found.data === undefined ? [] : choicesOf(found.data)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const chosen = value === null ? "" : ((picked?.value === value ? picked.label : chosenLabel) ?? "")
  const submit = (next: string) => {
    const choice = choices.find((each) => each.value === next) ?? null
    setPicked(choice)
    setText(null)
    onChange(choice?.value ?? null, choice)
    combobox.closeDropdown()
  }
  return (
    <Combobox store={combobox} onOptionSubmit={submit} withinPortal={false}>
      <Combobox.Target withExpandedAttribute>
        <InputBase
          {...(isCompact ? { "aria-label": label, size: "xs" } : { label })}
          disabled={isDisabled}
          placeholder={placeholder ?? words.search}
          value={text ?? chosen}
          error={error}
          rightSection={isPending ? <Loader size={14} aria-hidden="true" /> : <Combobox.Chevron />}
          rightSectionPointerEvents="none"
          onFocus={() => combobox.openDropdown()}
          onClick={() => combobox.openDropdown()}
          onBlur={() => {
            combobox.closeDropdown()
            setText(null)
          }}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            if (value !== null) onChange(null, null)
            combobox.openDropdown()
            combobox.updateSelectedOptionIndex()
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={label}>
          {choices.map((choice) => (
            <Combobox.Option key={choice.value} value={choice.value}>
              {choice.label}
              {choice.detail !== undefined && choice.detail !== null && (
                <Input.Description component="span" ml={8}>
                  {choice.detail}
                </Input.Description>
              )}
            </Combobox.Option>
          ))}
          {choices.length === 0 && !isPending && <Combobox.Empty>{words.searchNothing}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
