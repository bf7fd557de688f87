// Cache of compiled flows. A flow is compiled again when its revision, or a field or list that it names, has changed.
import { Context, Effect, Layer } from "effect"
import type { FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import { WeightedLru } from "../../kernel/runtime/WeightedLru.ts"
import { type RuleFacts, RuleFactsStore } from "../../segments/RuleFacts.ts"
import { conditionsOf, type RuleReferences, referencesOf } from "../../segments/RuleTree.ts"
import { type RelevantEvents, relevantEventsOf } from "./RelevantEvents.ts"
import { compileFlow, type CompiledFlow } from "../definition/CompiledFlow.ts"
import { type Flow, treesOf } from "../definition/Flow.ts"

export interface KnownFlow {
  readonly flow: Flow
  readonly compiled: CompiledFlow
  readonly relevantEvents: RelevantEvents
  /** A condition reads the engagements of a step's messages. */
  readonly needsDeliveries: boolean
}

interface CachedFlow extends KnownFlow {
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
  flow,
  revised: revisedOf(flow),
  mentioned,
  named,
  compiled: compileFlow(flow, facts),
  relevantEvents: relevantEventsOf(flow.structure),
  needsDeliveries: treesOf(flow.structure)
    .flatMap((tree) => conditionsOf(tree))
    .some(({ source }) => source === "email_step"),
})

const mentionedBy = (before: CachedFlow | undefined, flow: Flow): RuleReferences => {
  if (before?.flow.revision === flow.revision) return before.mentioned
  return referencesOf(treesOf(flow.structure).flatMap((tree) => conditionsOf(tree)))
}

const fingerprint = (mentioned: RuleReferences, { fields, staticLists }: RuleFacts): string => {
  if (mentioned.fields.length === 0 && mentioned.lists.length === 0) return ""
  const ids = new Set(mentioned.fields)
  const named = fields.filter(({ id }) => ids.has(id)).map(({ id, status, apiName }) => `${id} ${status} ${apiName}`)
  return [...named.toSorted(), ...mentioned.lists.filter((id) => staticLists.has(id)).toSorted()].join("\n")
}
