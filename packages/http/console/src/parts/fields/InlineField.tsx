// A value that is edited in its place: Enter and leaving the field save, Escape gives up.
import { Loader, Select, TagsInput, TextInput } from "@mantine/core"
import { type KeyboardEvent, useRef, useState } from "react"
import { problemOf } from "../../api/problems.ts"
import { EditIcon } from "../../Icons.tsx"
import { useFormat } from "../../format.ts"
import { useWords } from "../../words/Words.tsx"

export type InlineKind = "text" | "number" | "date" | "boolean" | "tags"
type Value = string | number | boolean | ReadonlyArray<string> | null

interface Props {
  readonly label: string
  readonly kind: InlineKind
  readonly value: Value
  readonly isReadOnly?: boolean
  /** Null clears the value. Rejects with the failure of the call, whose message is shown beside the field. */
  readonly onSave: (value: Value) => Promise<unknown>
}

const valueOf = (kind: InlineKind, text: string): Value => {
  if (text.trim() === "") return null
  if (kind === "number") return Number.isNaN(Number(text)) ? text : Number(text)
  return kind === "boolean" ? text === "true" : text.trim()
}

const Shown = ({ kind, value }: Pick<Props, "kind" | "value">) => {
  const words = useWords("shell")
  const { date, number } = useFormat()
  if (value === null || value === "") return <span className="nothing">–</span>
  if (typeof value === "boolean") return value ? words.yes : words.no
  if (typeof value === "number") return number(value)
  if (typeof value === "object") return value.join(", ")
  return kind === "date" && !Number.isNaN(Date.parse(value)) ? date(value) : value
}

/** The first issue of a refusal, otherwise its message. */
const messageOf = (error: unknown): string | null => {
  const { issues, message } = problemOf(error)
  return issues[0]?.message ?? message
}

const useSaving = ({ onSave, value }: Props, onEnd: () => void) => {
  const { problems } = useWords("shell")
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const save = async (next: Value) => {
    if (JSON.stringify(next) === JSON.stringify(value)) return onEnd()
    setSaving(true)
    try {
      await onSave(next)
      setError(null)
      onEnd()
    } catch (failure) {
      setError(messageOf(failure) ?? problems.unreachable)
    } finally {
      setSaving(false)
    }
  }
  return { isSaving, error, save, forget: () => setError(null) }
}

const textOf = (value: Value): string => {
  if (value === null) return ""
  return typeof value === "object" ? value.join(", ") : String(value)
}

/** Enter and a comma end a word. Enter without a word saves. */
const TagsEditor = (props: Props & { readonly onEnd: () => void }) => {
  const { label, onEnd, value } = props
  const [tags, setTags] = useState(typeof value === "object" && value !== null ? [...value] : [])
  const [typed, setTyped] = useState("")
  const { error, isSaving, save } = useSaving(props, onEnd)
  const saveAll = () => {
    const all = typed.trim() === "" ? tags : [...tags, typed.trim()]
    void save(all.length === 0 ? null : all)
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Enter" && typed === "") saveAll()
    if (event.key === "Escape") {
      event.stopPropagation()
      onEnd()
    }
  }
  const common = { "aria-label": label, size: "xs", error, autoFocus: true, onKeyDown: keys } as const
  return (
    <TagsInput
      {...common}
      acceptValueOnBlur={false}
      value={tags}
      onChange={setTags}
      searchValue={typed}
      onSearchChange={setTyped}
      onBlur={saveAll}
      disabled={isSaving}
    />
  )
}

const Editor = (props: Props & { readonly onEnd: () => void }) => {
  const { kind, label, onEnd, value } = props
  const words = useWords("shell")
  const [text, setText] = useState(textOf(kind === "date" && typeof value === "string" ? value.slice(0, 10) : value))
  const { error, isSaving, save } = useSaving(props, onEnd)
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Enter") void save(valueOf(kind, text))
    if (event.key === "Escape") {
      event.stopPropagation()
      onEnd()
    }
  }
  const common = { "aria-label": label, size: "xs", error, autoFocus: true, onKeyDown: keys } as const
  if (kind === "boolean") {
    return (
      <Select
        {...common}
        clearable
        data={[
          { value: "true", label: words.yes },
          { value: "false", label: words.no },
        ]}
        value={text === "" ? null : text}
        onChange={(next) => {
          setText(next ?? "")
          void save(valueOf(kind, next ?? ""))
        }}
      />
    )
  }
  return (
    <TextInput
      {...common}
      type={kind === "date" ? "date" : "text"}
      inputMode={kind === "number" ? "decimal" : "text"}
      value={text}
      rightSection={isSaving ? <Loader size={12} aria-label={words.saving} /> : null}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => void save(valueOf(kind, text))}
    />
  )
}

export const InlineField = (props: Props) => {
  const { isReadOnly = false, kind, label, value } = props
  const words = useWords("shell")
  const [isEditing, setEditing] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const end = () => {
    setEditing(false)
    // The field is replaced by its button, which gets the focus back.
    requestAnimationFrame(() => button.current?.focus())
  }
  return (
    <div className="field">
      <dt>{label}</dt>
      <dd>
        {isEditing ? (
          kind === "tags" ? (
            <TagsEditor {...props} onEnd={end} />
          ) : (
            <Editor {...props} onEnd={end} />
          )
        ) : isReadOnly ? (
          <Shown kind={kind} value={value} />
        ) : (
          <button
            ref={button}
            type="button"
            aria-label={words.edit(label, textOf(value))}
            onClick={() => setEditing(true)}
          >
            <Shown kind={kind} value={value} />
            <EditIcon size={14} />
          </button>
        )}
      </dd>
    </div>
  )
}
