// Settings of an endpoint in a few words.
import { useWords } from "../words/Words.tsx"
import { type Filter, filter_keys } from "./form/draft.ts"
import { groupOf, groupPattern, type Patterns } from "./patterns.ts"
import { useGroupName } from "./useGroupName.ts"

interface Delivery {
  readonly payload: "full" | "thin"
  readonly mode: "parallel" | "ordered"
  /** Null: one event in a request. */
  readonly batch_count: number | null
  readonly inFlight_max: number
}

/** More types are counted. */
const types_shown_max = 2

export const useSettingTexts = () => {
  const words = useWords("webhooks")
  const groupName = useGroupName()
  const patternText = (pattern: string): string =>
    pattern === groupPattern(groupOf(pattern)) ? groupName(groupOf(pattern)) : pattern
  return {
    patternText,
    types: (patterns: Patterns): string => {
      if (patterns.includes("*")) return words.allEvents
      const shown = patterns.slice(0, types_shown_max).map(patternText).join(", ")
      const more = patterns.length - types_shown_max
      return more > 0 ? words.andMore(shown, more) : shown
    },
    filter: (filter: Filter): string => {
      const parts = filter_keys.flatMap((key) => {
        const count = filter[key]?.length ?? 0
        return count === 0 ? [] : [words.filterCounts[key](count)]
      })
      const known: ReadonlyArray<string> = filter_keys
      const others = Object.keys(filter).filter((key) => !known.includes(key))
      const all = [...parts, ...others]
      return all.length === 0 ? words.noFilter : all.join(", ")
    },
    delivery: ({ batch_count, inFlight_max, mode, payload }: Delivery): string =>
      [
        words.payloads[payload],
        mode === "ordered" ? words.modes.ordered : words.atATime(inFlight_max),
        ...(batch_count === null ? [] : [words.upTo(batch_count)]),
      ].join(" · "),
  }
}
