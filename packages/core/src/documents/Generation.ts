// Generation: one version by the AI, one at a time. Accepting it takes a credit; failing gives the credit back.
import { DateTime, Result } from "effect"
import type { ActorName } from "../kernel/changes/Actor.ts"
import type { GenerationId } from "../kernel/Ids.ts"
import type { Transitions } from "../kernel/changes/Transitions.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import { isBlank } from "../kernel/Text.ts"
import { GenerationInProgress } from "./DocumentErrors.ts"

export const generationStatuses = ["generating", "completed", "failed"] as const
export type GenerationStatus = (typeof generationStatuses)[number]

export const generationTransitions = {
  generating: { complete: "completed", fail: "failed" },
  completed: {},
  failed: {},
} as const satisfies Transitions<GenerationStatus, "complete" | "fail">

export const prompt_length_max = 10_000

/** The price of one generation, of a tent too. */
export const generation_credits = 1

/** Issues of a prompt, at `path` of the body. */
export const promptIssues = (prompt: string, length_max = prompt_length_max, path = "prompt"): ReadonlyArray<Issue> =>
  isBlank(prompt) || prompt.length > length_max ? [{ path, message: `must have 1 to ${length_max} characters` }] : []

export const checkPrompt = (prompt: string, path = "prompt"): Result.Result<string, Invalid> => {
  const issues = promptIssues(prompt, prompt_length_max, path)
  return issues.length === 0 ? Result.succeed(prompt) : Result.fail(new Invalid({ issues }))
}

export interface Generation {
  readonly id: GenerationId
  readonly status: GenerationStatus
  readonly prompt: string
  /** The version that the generation wrote; null until then. */
  readonly version: number | null
  /** The reason of a failure, as a sentence for users. */
  readonly error: string | null
  /** Name of the API key, or of the user. */
  readonly createdByName: string
  readonly createdBy: ActorName
  readonly createdAt: DateTime.Utc
  readonly completedAt: DateTime.Utc | null
}

export type GenerationRequest = Pick<Generation, "id" | "prompt" | "createdByName" | "createdBy">

/** A transition of a generation; `before` is null when the generation is accepted. */
export interface GenerationStep {
  readonly before: Generation | null
  readonly after: Generation
}

/** Credits that the step takes from the workspace; a negative number returns credits. */
export const creditsOf = ({ before, after }: GenerationStep): number =>
  before === null ? generation_credits : after.status === "failed" ? -generation_credits : 0

/** The same for the deletion of a document: a generation that is not over returns its credit. */
export const creditsOfRemoval = (latest: Pick<Generation, "status"> | null): number =>
  latest?.status === "generating" ? -generation_credits : 0

/** The first generation of a document. */
export const acceptGeneration = (request: GenerationRequest, now: DateTime.Utc): GenerationStep => ({
  before: null,
  after: { ...request, status: "generating", version: null, error: null, createdAt: now, completedAt: null },
})

/**
 * The next generation of a document that the caller has locked. It is later than the latest one, even if another process's
 * clock was ahead.
 */
export const acceptNextGeneration = (
  latest: Generation | null,
  request: GenerationRequest,
  now: DateTime.Utc,
): Result.Result<GenerationStep, GenerationInProgress> => {
  if (latest?.status === "generating") return Result.fail(new GenerationInProgress())
  const isLater = latest === null || latest.createdAt.epochMilliseconds < now.epochMilliseconds
  const at = isLater ? now : DateTime.makeUnsafe(latest.createdAt.epochMilliseconds + 1)
  return Result.succeed(acceptGeneration(request, at))
}

/** Null if the generation is over already: the first outcome counts. */
export const endGeneration = (
  it: Generation,
  event: "complete" | "fail",
  outcome: { readonly version: number } | { readonly error: string },
  now: DateTime.Utc,
): GenerationStep | null => {
  const moves: { readonly [On in typeof event]?: GenerationStatus } = generationTransitions[it.status]
  const status = moves[event]
  return status === undefined ? null : { before: it, after: { ...it, ...outcome, status, completedAt: now } }
}
