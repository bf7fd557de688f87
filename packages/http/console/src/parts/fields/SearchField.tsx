// A search field. It reports its text after a short rest, so that a word is one request.
import { CloseButton, TextInput } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { useState } from "react"
import { SearchIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"

const rest_ms = 200

interface Props {
  /** Name of the field and its placeholder. */
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly maxLength?: number
}

export const SearchField = ({ label, maxLength = 200, onChange, value }: Props) => {
  const words = useWords("shell")
  const [text, setText] = useState(value)
  const report = useDebouncedCallback(onChange, rest_ms)
  const change = (next: string) => {
    setText(next)
    report(next)
  }
  return (
    <TextInput
      className="search"
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      maxLength={maxLength}
      leftSection={<SearchIcon size={16} />}
      rightSection={text === "" ? null : <CloseButton size="sm" aria-label={words.clear} onClick={() => change("")} />}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || text === "") return
        event.preventDefault()
        change("")
      }}
    />
  )
}
