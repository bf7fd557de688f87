// Deliveries in flight: claimed by this sender and not ended. Their leases are renewed; when the sender stops, they are
// released.
import type { Claim, ClaimedDelivery } from "@tentpole/core/sending/DeliveryStore"
import type { BlastId, DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"

export interface Item {
  readonly workspace: WorkspaceId
  readonly claimed: ClaimedDelivery
  readonly claimed_at_ms: number
}

/**
 * `claimed`: certainly not sent, may be released. `intent_requested`: the intent was requested; only code that knows that nothing was
 * sent may release it. `settling`: the outcome is on its way to the database and cannot change.
 */
export type Phase = "claimed" | "intent_requested" | "settling"

interface InFlightItem extends Item {
  phase: Phase
}

export class InFlight {
  readonly #items = new Map<DeliveryId, InFlightItem>()
  /** Deliveries of blasts and flows by workspace. */
  readonly #counts = new Map<WorkspaceId, number>()
  /** The last claim of a blast that has been paused or ended since. */
  readonly #stopped = new Map<BlastId, number>()

  add(items: ReadonlyArray<Item>): void {
    for (const item of items) {
      this.#items.set(item.claimed.id, { ...item, phase: "claimed" })
      if (item.claimed.message === null) this.#counts.set(item.workspace, (this.#counts.get(item.workspace) ?? 0) + 1)
    }
  }

  /** Whether deliveries of blasts or flows are among them. */
  get hasMany(): boolean {
    return this.#counts.size > 0
  }

  has({ claimed }: Item): boolean {
    return this.#items.get(claimed.id)?.claimed.token === claimed.token
  }

  /** Moves the delivery on from one of these phases. False if it is in another phase. */
  move({ claimed }: Item, from: ReadonlyArray<Phase>, to: Phase): boolean {
    const item = this.#items.get(claimed.id)
    if (item?.claimed.token !== claimed.token || !from.includes(item.phase)) return false
    item.phase = to
    return true
  }

  hasIntent({ claimed }: Item): boolean {
    const item = this.#items.get(claimed.id)
    return item?.claimed.token === claimed.token && item.phase === "intent_requested"
  }

  /** Returns whether it was the last delivery of a blast or flow of its workspace. */
  remove(item: Item): boolean {
    if (!this.has(item)) return false
    this.#items.delete(item.claimed.id)
    if (item.claimed.message !== null) return false
    const left = (this.#counts.get(item.workspace) ?? 1) - 1
    if (left > 0) this.#counts.set(item.workspace, left)
    else this.#counts.delete(item.workspace)
    return left === 0
  }

  /** Deliveries that may still be released. */
  get free(): ReadonlyArray<Item> {
    return [...this.#items.values()].filter(({ phase }) => phase === "claimed")
  }

  /** Claims of all deliveries in flight. */
  claims(): ReadonlyMap<WorkspaceId, ReadonlyArray<Claim>> {
    const groups = byWorkspace([...this.#items.values()])
    return new Map([...groups].map(([workspace, item]) => [workspace, claimsOf(item)]))
  }

  /** The blast was found paused or ended: deliveries of its claims up to this one need no intent request. */
  stop({ claimed }: Item): void {
    this.#stopped.set(claimed.blastId, Math.max(claimed.token, this.#stopped.get(claimed.blastId) ?? 0))
    // Old entries are irrelevant: their claims have ended.
    const [oldest] = this.#stopped.keys()
    if (this.#stopped.size > stopped_max && oldest !== undefined) this.#stopped.delete(oldest)
  }

  isStopped({ claimed }: Item): boolean {
    return claimed.token <= (this.#stopped.get(claimed.blastId) ?? -1)
  }

  get size(): number {
    return this.#items.size
  }
}

const stopped_max = 1000

export const claimsOf = (items: ReadonlyArray<Item>): ReadonlyArray<Claim> =>
  items.map(({ claimed: { blastId, id, token } }) => ({ blastId, id, token }))

export const byWorkspace = <A extends { readonly workspace: WorkspaceId }>(
  all: ReadonlyArray<A>,
): ReadonlyMap<WorkspaceId, ReadonlyArray<A>> => Map.groupBy(all, ({ workspace }) => workspace)
