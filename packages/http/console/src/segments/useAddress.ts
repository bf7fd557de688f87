// The draft of rules in the address of a screen: a reload keeps it, and a colleague can be sent it.
import type { RuleGroup } from "@tentpole/client"
import { useDebouncedValue } from "@mantine/hooks"
import { useEffect, useRef } from "react"

const rest_ms = 500
/** Servers and browsers limit the length of addresses. Longer rules stay in the page only. */
const length_max = 6_000

interface Address {
  /** The rules of the address. Null: it has none. */
  readonly asked: RuleGroup | null
  /** The draft. Null: nothing to write, because it is stored or empty. */
  readonly rules: RuleGroup | null
  readonly write: (rules: RuleGroup | null) => void
  /** A link changed the address: the draft begins with its rules. */
  readonly onOutside: (rules: RuleGroup | null) => void
}

const textOf = (rules: RuleGroup | null): string => (rules === null ? "" : JSON.stringify(rules))

const rulesOf = (text: string): RuleGroup | null => (text === "" ? null : (JSON.parse(text) as RuleGroup))

/** Writes the draft when it has rested, and adopts rules that come from elsewhere. */
export const useAddress = ({ asked, onOutside, rules, write }: Address): void => {
  const [rested] = useDebouncedValue(textOf(rules), rest_ms)
  const askedText = textOf(asked)
  const known = useRef(askedText)
  /** Texts on their way to the address. */
  const written = useRef(new Set<string>())
  const latest = useRef({ onOutside, write })
  useEffect(() => {
    latest.current = { onOutside, write }
  }, [onOutside, write])
  useEffect(() => {
    if (rested === known.current || encodeURIComponent(rested).length > length_max) return
    known.current = rested
    written.current.add(rested)
    latest.current.write(rulesOf(rested))
  }, [rested])
  useEffect(() => {
    if (written.current.delete(askedText) || askedText === known.current) return
    known.current = askedText
    latest.current.onOutside(rulesOf(askedText))
  }, [askedText])
}
