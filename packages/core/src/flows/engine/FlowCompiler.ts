// Cache of compiled flows. A flow is compiled again when its revision, or a field or list that it names, has changed.
import { Context, Effect, Layer } from "effect"
import { ownActivityTypes } from "../../contacts/Activity.ts"
import type { FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import { WeightedLru } from "../../kernel/runtime/WeightedLru.ts"
import { type RuleFacts, RuleFactsStore } from "../../segments/RuleFacts.ts"
import {
  conditionsOf,
  type RuleReferences,
  referencesOf,
  type StepCondition,
  type StepRuleTree,
} from "../../segments/RuleTree.ts"
import { compileFlow, type CompiledFlow } from "../definition/CompiledFlow.ts"
import { type Flow, treesOf } from "../definition/Flow.ts"
import type { Structure } from "../definition/FlowSchema.ts"

export interface KnownFlow extends CompiledFlow {
  /** Event types after which members are evaluated again. */
  readonly relevantEvents: ReadonlySet<string>
  /** A condition reads the engagements of a step's messages. */
  readonly needsDeliveries: boolean
}

interface CachedFlow extends KnownFlow {
  readonly revision: number
  readonly revised: string
  readonly mentioned: RuleReferences
  readonly named: string
}

const cached_flows_max = 2_000

/** Compiles flows. One cache for each process. */
export class FlowCompiler extends Context.Service<FlowCompiler>()("tentpole/FlowCompiler", {
  make: Effect.gen(function* () {
    const rules = yield* RuleFactsStore
    const cache = new WeightedLru<CachedFlow>(cached_flows_max)

    const compile = Effect.fnUntraced(function* (workspace: WorkspaceId, flows: Iterable<Flow>) {
      const requested = Array.from(flows, (flow) => ({ flow, mentioned: mentionedBy(cache.get(flow.id), flow) }))
      const facts = yield* rules.of(workspace, {
        fields: [...new Set(requested.flatMap(({ mentioned }) => mentioned.fields))],
        lists: [...new Set(requested.flatMap(({ mentioned }) => mentioned.lists))],
        topics: [...new Set(requested.flatMap(({ mentioned }) => mentioned.topics))],
      })
      const known = new Map<FlowId, KnownFlow>()
      for (const { flow, mentioned } of requested) {
        const before = cache.get(flow.id)
        const named = fingerprint(mentioned, facts)
        const isSame = before?.revised === revisedOf(flow) && before.named === named
        const now = isSame ? before : compiledNow(flow, mentioned, named, facts)
        if (!isSame) cache.set(flow.id, now)
        known.set(flow.id, now)
      }
      return known
    })

    return { compile }
  }),
}) {
  static readonly layer = Layer.effect(FlowCompiler, FlowCompiler.make)
}

const revisedOf = ({ name, revision, lifecycle }: Flow): string => `${revision} ${lifecycle.status} ${name}`

const compiledNow = (flow: Flow, mentioned: RuleReferences, named: string, facts: RuleFacts): CachedFlow => ({
  ...compileFlow(flow, facts),
  revision: flow.revision,
  revised: revisedOf(flow),
  mentioned,
  named,
  relevantEvents: relevantEventsOf(flow.structure),
  needsDeliveries: treesOf(flow.structure)
    .flatMap((tree) => conditionsOf(tree))
    .some(({ source }) => source === "email_step"),
})

const mentionedBy = (before: CachedFlow | undefined, flow: Flow): RuleReferences => {
  if (before?.revision === flow.revision) return before.mentioned
  return referencesOf(treesOf(flow.structure).flatMap((tree) => conditionsOf(tree)))
}

const fingerprint = (mentioned: RuleReferences, { fields, staticLists, topics }: RuleFacts): string => {
  if (mentioned.fields.length + mentioned.lists.length + mentioned.topics.length === 0) return ""
  const ids = new Set(mentioned.fields)
  const named = fields.filter(({ id }) => ids.has(id)).map(({ id, status, apiName }) => `${id} ${status} ${apiName}`)
  const lists = mentioned.lists.filter((id) => staticLists.has(id)).toSorted()
  return [...named.toSorted(), ...lists, ...mentioned.topics.filter((id) => topics.has(id)).toSorted()].join("\n")
}

/** Event types that can change the result of the flow's disqualification rules or wait conditions. Others are skipped. */
const relevantEventsOf = ({ disqualification_rules, steps }: Structure): ReadonlySet<string> => {
  const waits = steps.map((step) => (step.type === "wait" && step.mode === "condition" ? step.condition : null))
  const trees: ReadonlyArray<StepRuleTree> = [disqualification_rules, ...waits].filter((tree) => tree !== null)
  return new Set(trees.flatMap((tree) => conditionsOf(tree)).flatMap(eventsThatChange))
}

/** Events that change the status of a contact for a topic. */
const subscriptionTypes = [
  "subscription_requested",
  "subscription_confirmed",
  "subscription_changed",
  "subscription_expired",
] as const

const eventsThatChange = (condition: StepCondition): ReadonlyArray<string> => {
  switch (condition.source) {
    case "contact":
      return condition.field === "lastActivityAt" ? ["contact_updated", ...ownActivityTypes] : ["contact_updated"]
    case "custom_field":
      return ["contact_updated"]
    case "list_membership":
      return ["list_added", "list_removed"]
    case "topic":
      return ["contact_updated", ...subscriptionTypes]
    case "activity":
      return [condition.activityType]
    case "email_step":
      // An engagement is an event of the member itself, and needs no re-evaluation of others.
      return []
  }
}
