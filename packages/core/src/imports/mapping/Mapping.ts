// Mappings of columns to fields: proposals from the headers, and validation of the caller's choice.
import { Result } from "effect"
import { type StandardField, standardFieldByName, standardFields } from "../../contacts/ContactFields.ts"
import type { CustomField } from "../../contacts/CustomField.ts"
import { Invalid, type Issue } from "../../kernel/Refusal.ts"
import { headerKey, headerSynonyms, technicalColumns } from "./HeaderSynonyms.ts"
import type { Mapping, OverwriteBehavior, TargetKind } from "../Import.ts"
import { ownColumns } from "../Table.ts"

/** The fields that an import can write: standard fields and the workspace's active custom fields. */
export interface Targets {
  readonly standard: ReadonlyArray<StandardField>
  readonly custom: ReadonlyArray<CustomField>
}

export const targetsOf = (fields: ReadonlyArray<CustomField>): Targets => ({
  standard: standardFields.filter((field) => field.writable),
  custom: fields.filter((field) => field.status === "active"),
})

export interface ProposedMapping {
  readonly header: string
  readonly targetField: string | null
  readonly targetKind: TargetKind | null
  /** Why the column has this target or none, as a clause for users. */
  readonly reason: string
  readonly source: "deterministic" | "ai" | "none"
  readonly overwriteBehavior: OverwriteBehavior
  /**
   * `open`: no field has its name. `claimed`: another column has its field. `technical`: the tool that wrote the file uses
   * the column itself. `exported`: an export of rejected rows added the column.
   */
  readonly standing: "mapped" | "open" | "claimed" | "technical" | "exported"
}

export const noFieldHasThisName = "No field has this name"

export const unmapped = (
  header: string,
  standing: Exclude<ProposedMapping["standing"], "mapped">,
  reason: string,
): ProposedMapping => ({
  header,
  targetField: null,
  targetKind: null,
  reason,
  source: "none",
  overwriteBehavior: "overwrite",
  standing,
})

export const claimed = (header: string, targetField: string, claimant: string): ProposedMapping =>
  unmapped(header, "claimed", `The column "${claimant}" is already mapped to ${targetField}`)

type Match = Pick<ProposedMapping, "targetField" | "targetKind" | "reason"> & { readonly targetField: string }

/** Every name that a header can match, by its key. The first entry wins: a field's own name before a label. */
const matchesOf = ({ standard, custom }: Targets) => {
  const [names, synonyms] = [new Map<string, Match>(), new Map<string, Match>()]
  const add = (to: Map<string, Match>, name: string, match: Match) => {
    const key = headerKey(name)
    if (key !== "" && !to.has(key)) to.set(key, match)
  }
  const fields = [
    ...standard.map((field) => ({ ...field, targetKind: "standard" as const, the: "the field" })),
    ...custom.map((field) => ({ ...field, targetKind: "custom" as const, the: "the custom field" })),
  ]
  for (const { apiName: targetField, targetKind, the } of fields) {
    add(names, targetField, { targetField, targetKind, reason: `The header is ${the}'s name` })
  }
  for (const { apiName: targetField, displayName, targetKind, the } of fields) {
    add(names, displayName, { targetField, targetKind, reason: `The header is ${the}'s label` })
  }
  for (const { apiName: targetField } of standard) {
    for (const synonym of headerSynonyms[targetField] ?? []) {
      const reason = "The header is a usual name of the field"
      add(synonyms, synonym, { targetField, targetKind: "standard", reason })
    }
  }
  return { names, synonyms }
}

/** The field that all parts of a header name: `Company / Account`. */
const matchOfParts = (header: string, matchOf: (key: string) => Match | undefined): Match | undefined => {
  const [first, ...others] = header.split(/[/|,;()]| - |\bor\b/i).flatMap((part) => headerKey(part) || [])
  const match = first === undefined || others.length === 0 ? undefined : matchOf(first)
  return others.every((part) => matchOf(part)?.targetField === match?.targetField) ? match : undefined
}

/**
 * One proposal for each column, in order, from its header alone. Each field is proposed once, for the earliest column. The
 * columns that an export of rejected rows adds get no field.
 */
export const proposeMappings = (headers: ReadonlyArray<string>, targets: Targets): ReadonlyArray<ProposedMapping> => {
  const { names, synonyms } = matchesOf(targets)
  const technical = technicalColumns(headers)
  const own_count = ownColumns(headers).length
  const claimedBy = new Map<string, string>()
  return headers.map((header, index): ProposedMapping => {
    if (index >= own_count) return unmapped(header, "exported", exportedColumn)
    const key = headerKey(header)
    const matchOf = (part: string) => names.get(part) ?? synonyms.get(part)
    const match =
      names.get(key) ?? (technical.has(key) ? undefined : (synonyms.get(key) ?? matchOfParts(header, matchOf)))
    if (match === undefined) {
      return technical.has(key)
        ? unmapped(header, "technical", `${noFieldHasThisName}: Mailchimp notes in it what it needs itself`)
        : unmapped(header, "open", noFieldHasThisName)
    }
    const claimant = claimedBy.get(match.targetField)
    if (claimant !== undefined) return claimed(header, match.targetField, claimant)
    claimedBy.set(match.targetField, header)
    return { ...match, header, source: "deterministic", overwriteBehavior: "overwrite", standing: "mapped" }
  })
}

const exportedColumn =
  "The column comes from the export of an earlier import: it says what became of the row, not who the contact is"

/** A mapping of a request. A null target leaves the column out. The kind follows from the target's name. */
export interface WantedMapping {
  readonly header: string
  readonly targetField: string | null
  readonly targetKind: TargetKind | null
  readonly overwriteBehavior: OverwriteBehavior
}

const identity: ReadonlySet<string> = new Set(["email", "phone"])

export const identifiesContacts = (mappings: ReadonlyArray<{ readonly targetField: string | null }>): boolean =>
  mappings.some(({ targetField }) => targetField !== null && identity.has(targetField))

const kindOf = (name: string, custom: ReadonlyMap<string, CustomField>): TargetKind | undefined => {
  if (standardFieldByName.get(name)?.writable === true) return "standard"
  return custom.get(name)?.status === "active" ? "custom" : undefined
}

const whyUnknown = (name: string, custom: ReadonlyMap<string, CustomField>): string => {
  if (standardFieldByName.has(name)) return `${name} is read-only: an import can't write it`
  if (custom.has(name)) return `the field ${name} is archived: restore it first`
  return `there is no field ${name} in this workspace: create it first, or omit the column`
}

/** The mappings without columns that are left out, or every issue. */
export const checkMappings = (
  wanted: ReadonlyArray<WantedMapping>,
  headers: ReadonlyArray<string>,
  fields: ReadonlyArray<CustomField>,
): Result.Result<ReadonlyArray<Mapping>, Invalid> => {
  const known = new Set(headers)
  const custom = new Map(fields.map((field) => [field.apiName, field]))
  const [columns, targets] = [new Set<string>(), new Map<string, string>()]
  const issues: Array<Issue> = []
  const mappings: Array<Mapping> = []
  for (const [index, { header, targetField, targetKind, overwriteBehavior }] of wanted.entries()) {
    const refuse = (key: string, message: string) => issues.push({ path: `mappings.${index}.${key}`, message })
    if (!known.has(header)) refuse("header", `is not a column of the file: ${header}`)
    else if (columns.has(header)) refuse("header", `occurs twice: ${header}`)
    columns.add(header)
    if (targetField === null) continue
    const kind = kindOf(targetField, custom)
    if (kind === undefined) refuse("target_field", whyUnknown(targetField, custom))
    else if (targetKind !== null && targetKind !== kind) refuse("target_kind", `must be ${kind} for ${targetField}`)
    const claimant = targets.get(targetField)
    if (claimant !== undefined) {
      refuse(
        "target_field",
        `${targetField} can be the target of one column only, and "${claimant}" goes there already`,
      )
    }
    targets.set(targetField, header)
    if (kind !== undefined) mappings.push({ header, targetField, targetKind: kind, overwriteBehavior })
  }
  if (!identifiesContacts(wanted)) {
    issues.push({ path: "mappings", message: "must map a column to email or phone" })
  }
  return issues.length === 0 ? Result.succeed(mappings) : Result.fail(new Invalid({ issues }))
}
