// Flows in memory. Transactions run one after another here, so that a lock is a read.
import type { Flow } from "@tentpole/core/flows/definition/Flow"
import type { FlowChange } from "@tentpole/core/flows/definition/machine"
import { type FlowQuery, FlowStore, type FlowTally } from "@tentpole/core/flows/definition/FlowStore"
import type { FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { creditsOfRemoval } from "@tentpole/core/documents/Generation"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { byCodePoint, fold } from "@tentpole/core/kernel/Text"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer } from "effect"
import { paged } from "../contacts/ContactStore.ts"
import { applyEmail, removeEmail, usesOf } from "../emails/EmailStore.ts"
import { followFlow } from "./FlowLife.ts"
import { activationFacts, namedFacts, trialFacts } from "./FlowFacts.ts"
import { flowEmails, flows, flowStepTallies, flowTallies, namedIn } from "./FlowTables.ts"
import { latestGeneration } from "../documents/Generations.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"
import { takeCredits } from "../workspaces/WorkspaceStore.ts"

const nobody: FlowTally = { active: 0, waiting: 0, completed: 0, dropped: 0, failed: 0, lastEntryAt: null }

const findFlow = (db: Rows, ws: WorkspaceId, id: FlowId): Effect.Effect<Flow, NotFound> =>
  Effect.flatMap(db.find(flows, ws, id), (flow) =>
    flow === undefined ? Effect.fail(new NotFound({ resource: "flow" })) : Effect.succeed(flow),
  )

const view = (db: Rows, ws: WorkspaceId, flow: Flow) =>
  Effect.map(db.find(flowTallies, ws, flow.id), (tally = nobody) => ({ flow, tally }))

const compare = (left: Flow, right: Flow, by: FlowQuery["sortBy"]): number => {
  switch (by) {
    case "name":
      return byCodePoint(fold(left.name), fold(right.name))
    case "created_at":
      return left.createdAt.epochMilliseconds - right.createdAt.epochMilliseconds
    case "updated_at":
      return left.updatedAt.epochMilliseconds - right.updatedAt.epochMilliseconds
  }
}

const page = Effect.fnUntraced(function* (db: Rows, ws: WorkspaceId, query: FlowQuery) {
  const { statuses, search, sortBy, sortOrder } = query
  const sign = sortOrder === "asc" ? 1 : -1
  const chosen = (yield* db.all(flows, ws))
    .filter(({ lifecycle, name }) => statuses.includes(lifecycle.status) && fold(name).includes(fold(search)))
    .sort((left, right) => sign * compare(left, right, sortBy) || (left.id < right.id ? -1 : 1))
  const { items, total } = paged(query, chosen)
  return { items: yield* Effect.forEach(items, (flow) => view(db, ws, flow)), total }
})

const apply = Effect.fnUntraced(function* (
  db: Rows,
  writer: ChangeWriter["Service"],
  ws: WorkspaceId,
  change: FlowChange,
) {
  const { before, after, email } = change
  // An email that is made for a step is not written by the AI, and takes no credits.
  if (email !== null) yield* Effect.orDie(applyEmail(db, ws, email))
  const there = yield* db.find(flows, ws, (before ?? after)?.id ?? "")
  if (there?.revision !== before?.revision || there?.lifecycle.status !== before?.lifecycle.status) {
    return yield* Effect.die("the flow is not what the change was decided on: lock it first")
  }
  if (after !== null) yield* db.put(flows, ws, after.id, after)
  else if (before !== null) yield* removed(db, ws, before.id)
  yield* writer.writeEffects(ws, [change])
  yield* followFlow(db, ws, change)
})

const removed = Effect.fnUntraced(function* (db: Rows, ws: WorkspaceId, id: FlowId) {
  yield* db.remove(flows, ws, id)
  yield* db.remove(flowTallies, ws, id)
  yield* db.remove(flowStepTallies, ws, id)
  for (const { emailId, flowId } of yield* db.all(flowEmails, ws)) {
    if (flowId !== id) continue
    yield* db.remove(flowEmails, ws, emailId)
    // What is sent by something else stays, and is nobody's any more.
    if ((yield* usesOf(db, ws, emailId)).count > 0) continue
    const credits_taken = creditsOfRemoval(yield* latestGeneration(db, ws, emailId))
    if (credits_taken !== 0) yield* Effect.orDie(takeCredits(db, ws, credits_taken))
    yield* removeEmail(db, ws, emailId)
  }
})

export const layer = Layer.effect(
  FlowStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const writer = yield* ChangeWriter
    const lock = (ws: WorkspaceId, id: FlowId) => Effect.andThen(Transaction, findFlow(db, ws, id))
    return FlowStore.of({
      get: (ws, id) => Effect.flatMap(findFlow(db, ws, id), (flow) => view(db, ws, flow)),
      list: (ws, query) => page(db, ws, query),
      stepCounts: (ws, id) => Effect.map(db.find(flowStepTallies, ws, id), (counts = new Map()) => counts),
      simulationFacts: (ws, asked) => trialFacts(db, ws, asked),
      lock,
      lockNamed: (ws, named) => Effect.andThen(Transaction, namedFacts(db, ws, named)),
      lockForActivation: Effect.fnUntraced(function* (ws, id) {
        const flow = yield* lock(ws, id)
        return { flow, facts: yield* activationFacts(db, ws, namedIn(flow)) }
      }),
      apply: (ws, change) => Effect.andThen(Transaction, apply(db, writer, ws, change)),
      link: (ws, made) => Effect.andThen(Transaction, db.put(flowEmails, ws, made.emailId, made)),
    })
  }),
)
