// Fixture of the contract tests of merges: a workspace with flows, and the two contacts that tests merge.
import { Effect, Layer } from "effect"
import type { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import type { CsvReader } from "../../src/imports/CsvReader.ts"
import type { ImportStore } from "../../src/imports/ImportStore.ts"
import type { ContactId, DeliveryId, WorkspaceId } from "../../src/kernel/Ids.ts"
import { ContactMerges, type MergeRequest } from "../../src/operations/merge/ContactMerges.ts"
import type { MergeStore } from "../../src/operations/merge/MergeStore.ts"
import type { BlobStore } from "../../src/ports/BlobStore.ts"
import { flowServices } from "../../src/Tentpole.ts"
import { EngagementChange, type Event } from "../../src/tracking/Engagement.ts"
import { EngagementStore } from "../../src/tracking/EngagementStore.ts"
import { type FlowRooms, type flowLive, running } from "../flows/flowMembersWorld.ts"
import * as Deliveries from "../sending/deliveryScenario.ts"

export type MergePorts =
  | FlowRooms
  | Deliveries.DeliveryPorts
  | ContactFieldStore
  | MergeStore
  | ImportStore
  | BlobStore
  | CsvReader

export const mergesLive = ContactMerges.layer.pipe(Layer.provideMerge(flowServices))

export const timeline = { page: 1, limit: 100, order: "asc" } as const

/** A workspace with flows, and the two contacts that tests merge. */
export const mergeWorld = Effect.gen(function* () {
  const world = yield* running()
  const merges = yield* ContactMerges
  const scenario = yield* Deliveries.DeliveryScenario
  const { contacts, deliveries, person, transact, workspace } = world
  const target = yield* person("ann", { phone: null, city: "Bern" })
  const source = yield* person("ann.work", { phone: "+14155550100", company: "Mill" })
  const merge = (more: Partial<MergeRequest> = {}, into: ContactId = target.id) =>
    merges.merge(workspace, into, { source: source.id, prefer: "target", fields: {}, dryRun: false, ...more })
  /** A blast to these contacts, whose deliveries are written. */
  const blast = Effect.fnUntraced(function* (ids: ReadonlyArray<ContactId>) {
    const people = yield* Effect.forEach(ids, (id) => contacts.get(workspace, id))
    const { blast: id } = yield* scenario.blast(workspace, people, { again: ids })
    yield* transact(Deliveries.wholeAudience(deliveries, workspace, id))
    return id
  }, Effect.orDie)
  const typesOf = (id: ContactId) =>
    Effect.map(Effect.orDie(contacts.activities(workspace, id, timeline)), ({ items }) => items.map(({ type }) => type))
  return { ...world, merges, scenario, target, source, merge, blast, typesOf }
})

export const recorder = Effect.fnUntraced(function* (workspace: WorkspaceId) {
  const engagement = yield* EngagementStore
  const record = Effect.fnUntraced(function* (deliveryId: DeliveryId, event: Event) {
    const found = yield* engagement.lock(workspace, [deliveryId])
    yield* engagement.apply(workspace, EngagementChange.ofAll(found, [{ deliveryId, event, at: Deliveries.at }]))
  })
  return { engagement, record }
})

export type Live<E> = Layer.Layer<MergePorts | Layer.Success<typeof mergesLive> | Layer.Success<typeof flowLive>, E>
