// What an email lacks before it can be approved or tested: a checklist whose entries lead to their fields.
import { Anchor, List, Text } from "@mantine/core"
import { problemOf } from "../../api/problems.ts"
import { CheckIcon, ClockIcon, CrossIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Written } from "../written.ts"
import { inputId } from "./HeaderFields.tsx"

const wanted = ["subject", "from_name", "from_address", "reply_to_email"] as const
type Wanted = (typeof wanted)[number] | "sender_domain"

/** What the service said; before that, the empty fields. */
const missingIn = ({ fields }: Written, error: unknown): ReadonlyArray<string> => {
  const { details } = (error ?? {}) as { readonly details?: Readonly<Record<string, unknown>> }
  const named = details?.["missing"]
  if (Array.isArray(named)) return named.filter((each) => typeof each === "string")
  return wanted.filter((name) => fields[name].trim() === "")
}

/** The dialog closes first, and gives the focus back to its button. */
const focus_ms = 300

interface Props {
  readonly written: Written
  readonly error: unknown
  readonly onClose: () => void
}

export const Missing = ({ error, onClose, written }: Props) => {
  const words = useWords("emails")
  const missing = missingIn(written, error)
  const isRefused = problemOf(error).code === "email_not_ready"
  const shown: ReadonlyArray<Wanted> = isRefused || missing.length === 0 ? [...wanted, "sender_domain"] : [...wanted]
  const lead = (name: Wanted) => {
    onClose()
    const input = inputId(name === "sender_domain" ? "from_address" : name)
    setTimeout(() => document.getElementById(input)?.focus(), focus_ms)
  }
  return (
    <List size="sm" spacing={4} aria-label={words.checklist} {...(isRefused ? { role: "list" } : {})}>
      {shown.map((name) => {
        const isMissing = missing.includes(name)
        const isUnchecked = name === "sender_domain" && !isRefused
        const Icon = isMissing ? CrossIcon : isUnchecked ? ClockIcon : CheckIcon
        return (
          <List.Item key={name} icon={<Icon size={16} />}>
            {isMissing ? (
              <Anchor component="button" type="button" size="sm" onClick={() => lead(name)}>
                {words.missing[name]}
              </Anchor>
            ) : (
              <Text size="sm" span>
                {isUnchecked ? words.domainChecked : words.present[name]}
              </Text>
            )}
          </List.Item>
        )
      })}
    </List>
  )
}
