// Who may enter a flow, and with what. A contact enters at the first step, where the machine finds them due.
import { Result, Schema } from "effect"
import type { ErrorCode } from "../../kernel/ErrorCode.ts"
import type { ContactId, MembershipId } from "../../kernel/Ids.ts"
import { InvalidState } from "../../kernel/Refusal.ts"
import type { CompiledFlow, MemberFacts } from "../definition/CompiledFlow.ts"
import { readTokens, type TokenRefusal } from "./EntryTokens.ts"
import type { EntrySource, Tokens } from "./Membership.ts"
import { MembershipChange } from "./MembershipChange.ts"

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

/** The contact's memberships of this flow, under the lock or the constraint that keeps a second one out. */
export interface Earlier {
  readonly live: boolean
  /** However it ended. */
  readonly any: boolean
}

export interface Entry {
  readonly id: MembershipId
  readonly source: EntrySource
  readonly tokens: Tokens
}

/** The contact enters; or why not. A live membership refuses under either policy. */
export const enroll = (
  flow: CompiledFlow,
  { id, source, tokens }: Entry,
  facts: MemberFacts,
  earlier: Earlier,
): Result.Result<MembershipChange, EntryRefusal> => {
  const { name, first, status } = flow
  if (status !== "active" || first === null) {
    return Result.fail(new InvalidState({ resource: "flow", status, move: "entered" }))
  }
  if (earlier.live) return Result.fail(new AlreadyInFlow({ flow: name }))
  if (earlier.any && flow.reentryPolicy === "no_reentry") return Result.fail(new ReentryDenied({ flow: name }))
  if (flow.disqualifies?.(facts) === true) return Result.fail(new ContactDisqualified({ flow: name }))
  const { now } = facts
  const contactId: ContactId = facts.contact.id
  return Result.succeed(
    MembershipChange.decided({
      before: null,
      after: {
        id,
        flowId: flow.id,
        contactId,
        entrySource: source,
        tokens,
        createdEmails: [],
        state: {
          status: "active",
          visit: { stepId: first, number: 1 },
          doing: { kind: "run", dueAt: now },
          retry: null,
        },
        enteredAt: now,
        updatedAt: now,
      },
      flowName: name,
      at: now,
      entries: [{ type: "entered_flow", at: now, stepId: first, metadata: { entry_source: source } }],
      commands: [],
    }),
  )
}

/** What a call of the trigger endpoint brings along, by the flow's `service_api` trigger. */
export const apiEntry = (
  flow: CompiledFlow,
  tokens: unknown,
): Result.Result<Omit<Entry, "id">, ApiTriggerNotConfigured | TokenRefusal> => {
  const trigger = flow.triggers.find((each) => each.type === "service_api")
  if (trigger === undefined) return Result.fail(new ApiTriggerNotConfigured({ flow: flow.name }))
  return Result.map(readTokens(tokens, trigger.fields), (read) => ({ source: "service_api" as const, tokens: read }))
}

/** What somebody who is added by hand brings along. */
export const manualEntry = (
  flow: CompiledFlow,
  tokens: unknown,
): Result.Result<Omit<Entry, "id">, ManualMembershipDisabled | TokenRefusal> => {
  if (!flow.manualMembershipEnabled) return Result.fail(new ManualMembershipDisabled({ flow: flow.name }))
  return Result.map(readTokens(tokens), (read) => ({ source: "manual" as const, tokens: read }))
}
