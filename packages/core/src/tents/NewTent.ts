// The input of a new tent, and the checks that need no database.
import { Result } from "effect"
import { promptIssues } from "../documents/Generation.ts"
import type { AssetId, TentId, TentTemplateId } from "../kernel/Ids.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import { isBlank } from "../kernel/Text.ts"
import { type Alias, aliasFault, isAlias } from "./Alias.ts"
import { type InputData, promptOf, variablesOf, type Variables } from "./Variables.ts"
import { page_prompt_length_max, tent_name_length_max, type TentRequest, user_id_length_max } from "./Tent.ts"

export interface NewTent {
  readonly name: string
  /** Instructions for the AI. Exactly one of `prompt` and `html` is required. */
  readonly prompt?: string
  /** The page itself. Not with what only the AI uses. */
  readonly html?: string
  /** Values of the variables in the template and the prompt. They are part of the AI's prompt too. */
  readonly inputData?: InputData
  readonly userId?: string
  readonly includeBrand: boolean
  readonly autoPublish: boolean
  readonly customPageAlias?: string
  /** An idle tent to generate into. */
  readonly tentId?: TentId
  /** An approved template to start from. */
  readonly templateId?: TentTemplateId
  /** Assets of that tent for the AI. Duplicates count once. */
  readonly assetIds: ReadonlyArray<AssetId>
}

export interface CheckedTent {
  readonly request: Omit<TentRequest, "template" | "assetIds">
  readonly requestedAlias: Alias | null
}

export const asset_ids_max = 5

/** The request to store, or every issue at once. The request of an uploaded page has no prompt. */
export const checkNewTent = (tent: NewTent): Result.Result<CheckedTent, Invalid> => {
  const { inputData = {}, prompt: instructions } = tent
  const prompt = instructions === undefined ? "" : promptOf(inputData, instructions)
  const issues = faults(instructions === undefined ? tent : { ...tent, prompt })
  if (issues.length > 0) return Result.fail(new Invalid({ issues }))
  const { includeBrand, autoPublish, customPageAlias } = tent
  const variables: Variables = variablesOf(inputData)
  return Result.succeed({
    request: { prompt, includeBrand, variables, reasoning: null, autoPublish, aliasTurn: 1 },
    requestedAlias: customPageAlias !== undefined && isAlias(customPageAlias) ? customPageAlias : null,
  })
}

/** Exactly one of `prompt` and `html`, and with `html` nothing that only the AI uses. */
const contentFaults = ({
  prompt,
  html,
  inputData,
  includeBrand,
  templateId,
  assetIds,
}: NewTent): ReadonlyArray<Issue> => {
  if (html === undefined) {
    return prompt === undefined
      ? [{ path: "prompt", message: "is required unless html is set" }]
      : promptIssues(prompt, page_prompt_length_max)
  }
  const given = {
    prompt: prompt !== undefined,
    input_data: inputData !== undefined,
    template_id: templateId !== undefined,
    include_brand: includeBrand,
    asset_ids: assetIds.length > 0,
  }
  return Object.entries(given).flatMap(([path, isGiven]) =>
    isGiven ? [{ path, message: "can't be combined with html" }] : [],
  )
}

const faults = (tent: NewTent): ReadonlyArray<Issue> => {
  const { name, userId = "", assetIds, tentId, customPageAlias: alias, autoPublish } = tent
  const demand = (holds: boolean, path: string, message: string): ReadonlyArray<Issue> =>
    holds ? [] : [{ path, message }]
  const named_count = assetIds.length
  const wrong = alias === undefined ? null : aliasFault(alias)
  return [
    ...demand(
      !isBlank(name) && name.length <= tent_name_length_max,
      "name",
      `must have 1 to ${tent_name_length_max} characters`,
    ),
    ...contentFaults(tent),
    ...demand(userId.length <= user_id_length_max, "user_id", `must have at most ${user_id_length_max} characters`),
    ...demand(
      named_count <= asset_ids_max,
      "asset_ids",
      `must name at most ${asset_ids_max} assets, got ${named_count}`,
    ),
    ...demand(named_count === 0 || tentId !== undefined, "asset_ids", "needs tent_id: the tent that holds the assets"),
    ...demand(wrong === null, "custom_page_alias", wrong ?? ""),
    ...demand(alias === undefined || autoPublish, "custom_page_alias", "needs auto_publish: true"),
  ]
}
