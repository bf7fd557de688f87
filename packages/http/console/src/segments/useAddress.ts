// The draft of rules in the address of a screen: a reload keeps it, and a colleague can be sent it.
import type { RuleGroup } from "@tentpole/client"
import { useDebouncedValue } from "@mantine/hooks"
import { useEffect, useRef } from "react"

const rest_ms = 500
/** Servers and browsers limit the length of addresses. Longer rules stay in the page only. */
const length_max = 6_000

/** Writes the rules when they have rested. `null`: they are those that are stored. */
export const useAddress = (rules: RuleGroup | null, write: (rules: RuleGroup | null) => void): void => {
  const text = rules === null ? null : JSON.stringify(rules)
  const [rested] = useDebouncedValue(text, rest_ms)
  const written = useRef(rested)
  const latest = useRef(write)
  useEffect(() => {
    latest.current = write
  }, [write])
  useEffect(() => {
    if (rested === written.current) return
    if (rested !== null && encodeURIComponent(rested).length > length_max) return
    written.current = rested
    latest.current(rested === null ? null : (JSON.parse(rested) as RuleGroup))
  }, [rested])
}
