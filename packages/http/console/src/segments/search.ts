// Search parameters of the screens of segments.
import type { RuleGroup } from "@tentpole/client"
import { type ContactSearch, contactSearch } from "../contacts/search.ts"
import { rulesInAddress } from "./ruleJson.ts"

type Raw = Readonly<Record<string, unknown>>

export interface RulesSearch {
  /** The draft. Absent: the stored rules, or none. */
  readonly rules?: RuleGroup
}

export const rulesSearch = ({ rules }: Raw): RulesSearch => {
  const read = rulesInAddress(rules)
  return read === null ? {} : { rules: read }
}

/** The table of contacts, with the rules that filter it. */
export interface ContactListSearch extends ContactSearch, RulesSearch {}

export const contactListSearch = (raw: Raw): ContactListSearch => ({ ...contactSearch(raw), ...rulesSearch(raw) })

export interface ListScreenSearch extends ContactSearch, RulesSearch {
  /** Default: the rules of a dynamic list, the members of another one. */
  readonly view?: "members" | "rules"
}

export const listScreenSearch = (raw: Raw): ListScreenSearch => ({
  ...contactSearch(raw),
  ...rulesSearch(raw),
  ...(raw["view"] === "members" || raw["view"] === "rules" ? { view: raw["view"] } : {}),
})
