// Which column goes into which field: what is proposed from the headers, and whether what was chosen can be.
import { Result } from "effect"
import { type StandardField, standardFieldByName, standardFields } from "../contacts/ContactFields.ts"
import type { CustomField } from "../contacts/CustomField.ts"
import { Invalid, type Issue } from "../Refusal.ts"
import { headerKey, headerSynonyms } from "./HeaderSynonyms.ts"
import type { Mapping, OverwriteBehavior, TargetKind } from "./Import.ts"

/** The fields that an import can write. Custom ones: all of the workspace's, archived ones are left out here. */
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
  /** Why, or why not: a clause for people. */
  readonly reason: string
  readonly source: "deterministic" | "none"
  readonly overwriteBehavior: OverwriteBehavior
}

interface Match {
  readonly targetField: string
  readonly targetKind: TargetKind
  readonly reason: string
}

/** Every name that a header can match, by its key. What stands first wins: a field's own name before a synonym. */
const matcherOf = ({ standard, custom }: Targets): ((header: string) => Match | undefined) => {
  const matches = new Map<string, Match>()
  const add = (name: string, targetField: string, targetKind: TargetKind, reason: string) => {
    const key = headerKey(name)
    if (key !== "" && !matches.has(key)) matches.set(key, { targetField, targetKind, reason })
  }
  for (const { apiName } of standard) add(apiName, apiName, "standard", "The header is the field's name")
  for (const { apiName } of custom) add(apiName, apiName, "custom", "The header is the custom field's name")
  for (const { apiName, displayName } of standard) {
    add(displayName, apiName, "standard", "The header is the field's label")
  }
  for (const { apiName, displayName } of custom) {
    add(displayName, apiName, "custom", "The header is the custom field's label")
  }
  for (const { apiName } of standard) {
    for (const synonym of headerSynonyms[apiName] ?? []) {
      add(synonym, apiName, "standard", "The header is a usual name of the field")
    }
  }
  return (header) => matches.get(headerKey(header))
}

/** One proposal for each column, in their order. No field is proposed twice: the earlier column has it. */
export const proposeMappings = (headers: ReadonlyArray<string>, targets: Targets): ReadonlyArray<ProposedMapping> => {
  const match = matcherOf(targets)
  const claimedBy = new Map<string, string>()
  return headers.map((header): ProposedMapping => {
    const found = match(header)
    const open = {
      header,
      targetField: null,
      targetKind: null,
      source: "none",
      overwriteBehavior: "overwrite",
    } as const
    if (found === undefined) return { ...open, reason: "No field has this name" }
    const claimant = claimedBy.get(found.targetField)
    if (claimant !== undefined) {
      return { ...open, reason: `The column "${claimant}" is already mapped to ${found.targetField}` }
    }
    claimedBy.set(found.targetField, header)
    return { ...found, header, source: "deterministic", overwriteBehavior: "overwrite" }
  })
}

/** A mapping as it is asked for. Without a target the column is left out; the kind follows from the target's name. */
export interface WantedMapping {
  readonly header: string
  readonly targetField: string | null
  readonly targetKind: TargetKind | null
  readonly overwriteBehavior: OverwriteBehavior
}

const identity: ReadonlySet<string> = new Set(["email", "phone"])

export const namesSomebody = (mappings: ReadonlyArray<{ readonly targetField: string | null }>): boolean =>
  mappings.some(({ targetField }) => targetField !== null && identity.has(targetField))

const kindOf = (name: string, custom: ReadonlyMap<string, CustomField>): TargetKind | undefined => {
  if (standardFieldByName.get(name)?.writable === true) return "standard"
  return custom.get(name)?.status === "active" ? "custom" : undefined
}

const whyUnknown = (name: string, custom: ReadonlyMap<string, CustomField>): string => {
  if (standardFieldByName.has(name)) return `${name} is read-only: an import can't write it`
  if (custom.has(name)) return `the field ${name} is archived: restore it first`
  return `there is no field ${name} in this workspace: create it first, or leave the column out`
}

/** What was chosen, without the columns that are left out; or everything that is wrong with it. */
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
    if (!known.has(header)) refuse("header", `is no column of the file: ${header}`)
    else if (columns.has(header)) refuse("header", `stands here twice: ${header}`)
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
  if (!namesSomebody(wanted)) {
    issues.push({ path: "mappings", message: "must have a column for email or phone: nobody can be known without" })
  }
  return issues.length === 0 ? Result.succeed(mappings) : Result.fail(new Invalid({ issues }))
}
