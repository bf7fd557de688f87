// A piece of writing that the AI is asked for: of an email or of a template. One at a time for each; a credit is taken when it
// is accepted, and given back when there is nothing to show for it.
import { type DateTime, Result, Schema } from "effect"
import type { ErrorCode } from "../kernel/ErrorCode.ts"
import type { GenerationId } from "../kernel/Ids.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import { isBlank } from "../kernel/Text.ts"

export const generationStatuses = ["generating", "completed", "failed"] as const
export type GenerationStatus = (typeof generationStatuses)[number]

export const prompt_length_max = 10_000

/** One generation costs this much. */
export const generation_credits = 1

/** What is wrong with a prompt, told of the body's `prompt`. */
export const promptIssues = (prompt: string): ReadonlyArray<Issue> =>
  isBlank(prompt) || prompt.length > prompt_length_max
    ? [{ path: "prompt", message: `must have 1 to ${prompt_length_max} characters` }]
    : []

export const checkPrompt = (prompt: string): Result.Result<string, Invalid> => {
  const issues = promptIssues(prompt)
  return issues.length === 0 ? Result.succeed(prompt) : Result.fail(new Invalid({ issues }))
}

export interface Generation {
  readonly id: GenerationId
  readonly status: GenerationStatus
  readonly prompt: string
  /** The version that it made; null until then. */
  readonly version: number | null
  /** Why there is none: a sentence for people. */
  readonly error: string | null
  /** Name of the API key, or of the user. */
  readonly createdByName: string
  readonly createdAt: DateTime.Utc
  readonly completedAt: DateTime.Utc | null
}

/** What the AI is asked for, and by whom. */
export type AskedGeneration = Pick<Generation, "id" | "prompt" | "createdByName">

/** What becomes of a generation, with the credits that go with it. */
export interface GenerationStep {
  readonly before: Generation | null
  readonly after: Generation
  /** Taken from the workspace; negative: given back. */
  readonly credits_taken: number
}

export class GenerationInProgress extends Schema.TaggedError<GenerationInProgress>()("GenerationInProgress", {}) {
  readonly code = "generation_in_progress" satisfies ErrorCode
  override get message(): string {
    return "A generation is already in progress. Wait until it ends"
  }
}

/** Accepts a generation. That none is going on is for whoever holds the document's lock to see. */
export const acceptGeneration = (it: AskedGeneration, now: DateTime.Utc): GenerationStep => ({
  before: null,
  after: { ...it, status: "generating", version: null, error: null, createdAt: now, completedAt: null },
  credits_taken: generation_credits,
})

/** It has made this version, and is paid for. Null when it is over already: the first answer stands. */
export const completeGeneration = (it: Generation, version: number, now: DateTime.Utc): GenerationStep | null =>
  it.status === "generating"
    ? { before: it, after: { ...it, status: "completed", version, completedAt: now }, credits_taken: 0 }
    : null

/** There will be nothing: what was taken is given back. Null when it is over already. */
export const failGeneration = (it: Generation, error: string, now: DateTime.Utc): GenerationStep | null =>
  it.status === "generating"
    ? { before: it, after: { ...it, status: "failed", error, completedAt: now }, credits_taken: -generation_credits }
    : null

/** A document goes with its generation: what was begun and not done gives its credit back. */
export const creditsOfRemoval = (latest: Generation | null): number =>
  latest?.status === "generating" ? -generation_credits : 0
