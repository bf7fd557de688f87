// Flow tokens: values of `{{campaign.dynamic.<key>}}` from a request or from the answers of a form.
import { Result, Schema } from "effect"
import { encodeText } from "../../kernel/Bytes.ts"
import type { ErrorCode } from "../../kernel/ErrorCode.ts"
import { Invalid, type Issue } from "../../kernel/Refusal.ts"
import { isObject } from "../../segments/RuleTree.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"
import { type ApiTrigger, isTokenName, token_name_length_max, type TokenDeclaration } from "../definition/Trigger.ts"

/** Exclusive limit of the tokens' JSON, in bytes. */
export const tokens_size_bytes_limit = 64 * 1024

const Issues = Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))

const listed = (issues: ReadonlyArray<Issue>): string =>
  issues.map(({ path, message }) => `${path} ${message}`).join("; ")

export class UnknownToken extends Schema.TaggedError<UnknownToken>()("UnknownToken", { issues: Issues }) {
  readonly code = "campaign_flow_trigger_unknown_token" satisfies ErrorCode
  override get message(): string {
    return `The trigger does not declare these tokens: ${listed(this.issues)}`
  }
  get details() {
    return { issues: this.issues }
  }
}

export class InvalidTokenType extends Schema.TaggedError<InvalidTokenType>()("InvalidTokenType", { issues: Issues }) {
  readonly code = "campaign_flow_trigger_invalid_token_type" satisfies ErrorCode
  override get message(): string {
    return `These tokens do not have the declared type: ${listed(this.issues)}`
  }
  get details() {
    return { issues: this.issues }
  }
}

export class TokensTooLarge extends Schema.TaggedError<TokensTooLarge>()("TokensTooLarge", { size_bytes: Schema.Int }) {
  readonly code = "campaign_flow_trigger_payload_too_large" satisfies ErrorCode
  override get message(): string {
    return `The tokens have ${this.size_bytes} bytes of JSON, but must have less than ${tokens_size_bytes_limit}`
  }
}

export type TokenRefusal = Invalid | UnknownToken | InvalidTokenType | TokensTooLarge

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))

/**
 * Decodes the `tokens` of a request. With declarations, only those names and types are accepted; without, any.
 * A refusal reports all issues of one kind: first spelling, then undeclared names, then types.
 */
export const readTokens = (
  tokens: unknown,
  declared: ApiTrigger["fields"] = [],
): Result.Result<FlowTokens, TokenRefusal> => {
  if (tokens === undefined || tokens === null) return Result.succeed({})
  if (!isObject(tokens)) return Result.fail(Invalid.at("tokens", "must be an object of names and values"))
  const misspelled: Array<Issue> = []
  const unknown: Array<Issue> = []
  const illTyped: Array<Issue> = []
  const read: Array<readonly [string, string | number | boolean]> = []
  for (const [name, value] of Object.entries(tokens)) {
    const path = `tokens.${name}`
    const declaration = declared.find((each) => each.name === name)
    if (!isTokenName(name)) misspelled.push({ path, message: spelling(name) })
    else if (declared.length > 0 && declaration === undefined) {
      unknown.push({ path, message: `is not declared; declared are ${declared.map((each) => each.name).join(", ")}` })
    } else if (!isScalar(value) || (declaration !== undefined && typeof value !== declaration.type)) {
      illTyped.push({ path, message: wanted(declaration) })
    } else read.push([name, value])
  }
  if (misspelled.length > 0) return Result.fail(new Invalid({ issues: misspelled }))
  if (unknown.length > 0) return Result.fail(new UnknownToken({ issues: unknown }))
  if (illTyped.length > 0) return Result.fail(new InvalidTokenType({ issues: illTyped }))
  const resolved: FlowTokens = Object.fromEntries(read)
  const size_bytes = encodeText(JSON.stringify(resolved)).length
  return size_bytes < tokens_size_bytes_limit
    ? Result.succeed(resolved)
    : Result.fail(new TokensTooLarge({ size_bytes }))
}

const spelling = (name: string): string =>
  name === "trigger"
    ? "is a word of the service's own; choose another name"
    : `must begin with a letter and have only letters, digits and underscores, at most ${token_name_length_max}`

const wanted = (declaration: TokenDeclaration | undefined): string =>
  declaration === undefined ? "must be text, a number, true or false" : `must be a ${declaration.type}, as declared`

/**
 * Converts the answers of a form to tokens. Characters other than letters, digits and underscores become `_`. Of two equal
 * names the first counts. Answers that exceed the size limit are left out.
 */
export const formTokens = (answers: unknown): FlowTokens => {
  const tokens = new Map<string, string>()
  let size_bytes = "{}".length
  for (const [asked, answer] of isObject(answers) ? Object.entries(answers) : []) {
    const name = asked.replace(/[^A-Za-z0-9_]/g, "_").slice(0, token_name_length_max)
    const text = textOf(answer)
    if (text === null || !/[A-Za-z0-9]/.test(name) || name === "trigger" || name === "__proto__" || tokens.has(name))
      continue
    const more_bytes = encodeText(JSON.stringify([name, text])).length
    if (size_bytes + more_bytes >= tokens_size_bytes_limit) continue
    size_bytes += more_bytes
    tokens.set(name, text)
  }
  return Object.fromEntries(tokens)
}

/** Checkboxes of one name are one answer, joined by commas. */
const textOf = (answer: unknown): string | null => {
  if (Array.isArray(answer)) return answer.filter((each) => typeof each === "string").join(", ")
  return isScalar(answer) ? String(answer) : null
}
