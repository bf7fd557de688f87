// Why the service put a column where it is, in the person's words.
import type { AvailableField, ImportPreview, ImportReason } from "@tentpole/client"
import { fieldLabel } from "../../contacts/fieldLabels.ts"
import { useWords } from "../../words/Words.tsx"
import { candidateOf, type Column } from "./draft.ts"

/** None once the person put the column elsewhere. */
export const reasonsOf = (preview: ImportPreview, { header, target }: Column): ReadonlyArray<ImportReason> => {
  const proposed = preview.proposed_mappings.find((each) => each.header === header)
  if (proposed === undefined || target.kind === "topic") return []
  if (target.kind === "field") return target.name === proposed.target_field ? proposed.reasons : []
  if (proposed.target_field !== null) return []
  return target.kind === "new" ? (candidateOf(preview, header)?.reasons ?? proposed.reasons) : proposed.reasons
}

/** The names of fields and types are those of the screen. */
export const useReasonText = (fields: ReadonlyMap<string, AvailableField>) => {
  const words = useWords("imports")
  const contacts = useWords("contacts")
  const types: Readonly<Record<string, string>> = words.types
  const shown = (value: string): string => {
    const field = fields.get(value)
    return field === undefined ? value : fieldLabel(contacts, field)
  }
  return (reasons: ReadonlyArray<ImportReason>): string =>
    reasons
      .map(({ code, values: [first = "", second = "", third = ""], values }) => {
        switch (code) {
          case "field_claimed":
            return words.whys.field_claimed(first, shown(second))
          case "values_read":
            return words.whys.values_read(Number(first), types[second] ?? second)
          case "values_nearly":
            return words.whys.values_nearly(first, second, types[third] ?? third)
          case "ai_skipped_limit":
          case "ai_slow":
            return words.whys[code](first)
          case "date_format_open":
          case "currencies_mixed":
            return words.whys[code](values)
          default:
            return words.whys[code]
        }
      })
      .join(" ")
}
