// Enrollment rules: which contacts may enter a flow, and with which tokens.
import { Result, Schema } from "effect"
import type { ErrorCode } from "../../kernel/ErrorCode.ts"
import type { MembershipId } from "../../kernel/Ids.ts"
import { InvalidState } from "../../kernel/Refusal.ts"
import type { CompiledFlow, MemberFacts } from "../definition/CompiledFlow.ts"
import { readTokens, type TokenRefusal } from "./EntryTokens.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"
import type { EntrySource } from "./Membership.ts"

const named = { flow: Schema.String }

export class AlreadyInFlow extends Schema.TaggedError<AlreadyInFlow>()("AlreadyInFlow", named) {
  readonly code = "campaign_flow_already_in_flow" satisfies ErrorCode
  override get message(): string {
    return `The contact is already in the flow "${this.flow}". Remove it first, or wait until it has left the flow`
  }
}

export class ReentryDenied extends Schema.TaggedError<ReentryDenied>()("ReentryDenied", named) {
  readonly code = "campaign_flow_reentry_denied" satisfies ErrorCode
  override get message(): string {
    return `The contact has already been in the flow "${this.flow}", whose reentry_policy is no_reentry`
  }
}

export class ContactDisqualified extends Schema.TaggedError<ContactDisqualified>()("ContactDisqualified", named) {
  readonly code = "campaign_flow_contact_disqualified" satisfies ErrorCode
  override get message(): string {
    return `The contact matches the disqualification rules of the flow "${this.flow}". Change the contact or the rules`
  }
}

export class ManualMembershipDisabled extends Schema.TaggedError<ManualMembershipDisabled>()(
  "ManualMembershipDisabled",
  named,
) {
  readonly code = "campaign_flow_manual_membership_disabled" satisfies ErrorCode
  override get message(): string {
    return `Contacts can't be added to the flow "${this.flow}" manually. Set manual_membership_enabled, or use a trigger`
  }
}

export class ApiTriggerNotConfigured extends Schema.TaggedError<ApiTriggerNotConfigured>()(
  "ApiTriggerNotConfigured",
  named,
) {
  readonly code = "flow_api_trigger_not_configured" satisfies ErrorCode
  override get message(): string {
    return `The flow "${this.flow}" has no trigger of type service_api. Add one`
  }
}

export type EntryRefusal = InvalidState | AlreadyInFlow | ReentryDenied | ContactDisqualified

/** The contact's earlier memberships of this flow. The caller holds the lock that prevents a second live one. */
export interface EarlierMemberships {
  readonly live: boolean
  /** Live or ended. */
  readonly any: boolean
}

export interface Entry {
  readonly id: MembershipId
  readonly source: EntrySource
  readonly tokens: FlowTokens
}

/** Why the contact may not enter; null if it may. */
export const entryRefusal = (
  flow: CompiledFlow,
  facts: MemberFacts,
  earlier: EarlierMemberships,
): EntryRefusal | null => {
  const { name, first, status } = flow
  if (status !== "active" || first === null) return new InvalidState({ resource: "flow", status, move: "entered" })
  if (earlier.live) return new AlreadyInFlow({ flow: name })
  if (earlier.any && flow.reentryPolicy === "no_reentry") return new ReentryDenied({ flow: name })
  return flow.disqualifies?.(facts) === true ? new ContactDisqualified({ flow: name }) : null
}

/** The entry of a call to the trigger endpoint. Needs a `service_api` trigger, which declares the tokens. */
export const apiEntry = (
  flow: CompiledFlow,
  tokens: unknown,
): Result.Result<Omit<Entry, "id">, ApiTriggerNotConfigured | TokenRefusal> => {
  const trigger = flow.triggers.find((each) => each.type === "service_api")
  if (trigger === undefined) return Result.fail(new ApiTriggerNotConfigured({ flow: flow.name }))
  return Result.map(readTokens(tokens, trigger.fields), (read) => ({ source: "service_api" as const, tokens: read }))
}

/** The entry of a contact that is added manually. */
export const manualEntry = (
  flow: CompiledFlow,
  tokens: unknown,
): Result.Result<Omit<Entry, "id">, ManualMembershipDisabled | TokenRefusal> => {
  if (!flow.manualMembershipEnabled) return Result.fail(new ManualMembershipDisabled({ flow: flow.name }))
  return Result.map(readTokens(tokens), (read) => ({ source: "manual" as const, tokens: read }))
}
