// What a sender has in its hands: every delivery that it has claimed and not yet brought to an end. Whatever is in here has
// its lease renewed; whatever is left in here when the sender stops is given back.
import type { Claim, ClaimedDelivery } from "@tentpole/core/sending/DeliveryStore"
import type { BlastId, DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"

export interface Item {
  readonly workspace: WorkspaceId
  readonly claimed: ClaimedDelivery
  readonly claimed_at_ms: number
}

/**
 * `claimed`: provably not sent, free to be given back. `asked`: from the question for the intent on, only who knows that
 * nothing was sent may take it back. `told`: how it ended is on its way to the database, and nothing may overtake that.
 */
export type Phase = "claimed" | "asked" | "told"

interface Held extends Item {
  phase: Phase
}

export class InFlight {
  readonly #held = new Map<DeliveryId, Held>()
  readonly #counts = new Map<WorkspaceId, number>()
  /** The last claim of a blast that has since been paused or ended. */
  readonly #stopped = new Map<BlastId, number>()

  add(items: ReadonlyArray<Item>): void {
    for (const item of items) {
      this.#held.set(item.claimed.id, { ...item, phase: "claimed" })
      this.#counts.set(item.workspace, (this.#counts.get(item.workspace) ?? 0) + 1)
    }
  }

  has({ claimed }: Item): boolean {
    return this.#held.get(claimed.id)?.claimed.token === claimed.token
  }

  /** Moves on from one of these phases; false when it is not in any of them, and nothing is to be done. */
  move({ claimed }: Item, from: ReadonlyArray<Phase>, to: Phase): boolean {
    const held = this.#held.get(claimed.id)
    if (held?.claimed.token !== claimed.token || !from.includes(held.phase)) return false
    held.phase = to
    return true
  }

  isAsked({ claimed }: Item): boolean {
    const held = this.#held.get(claimed.id)
    return held?.claimed.token === claimed.token && held.phase === "asked"
  }

  /** Answers whether that was the last of its workspace. */
  remove(item: Item): boolean {
    if (!this.has(item)) return false
    this.#held.delete(item.claimed.id)
    const left = (this.#counts.get(item.workspace) ?? 1) - 1
    if (left > 0) this.#counts.set(item.workspace, left)
    else this.#counts.delete(item.workspace)
    return left === 0
  }

  /** What may still be given back. */
  get free(): ReadonlyArray<Item> {
    return [...this.#held.values()].filter(({ phase }) => phase === "claimed")
  }

  /** Of everything in hand. */
  claims(): ReadonlyMap<WorkspaceId, ReadonlyArray<Claim>> {
    const groups = byWorkspace([...this.#held.values()])
    return new Map([...groups].map(([workspace, held]) => [workspace, claimsOf(held)]))
  }

  /** The blast was found paused or ended: what is still to come of claims up to this one needs no asking. */
  stop({ claimed }: Item): void {
    this.#stopped.set(claimed.blastId, Math.max(claimed.token, this.#stopped.get(claimed.blastId) ?? 0))
    // Old ones say nothing any more: their claims are long over.
    const [oldest] = this.#stopped.keys()
    if (this.#stopped.size > stopped_max && oldest !== undefined) this.#stopped.delete(oldest)
  }

  isStopped({ claimed }: Item): boolean {
    return claimed.token <= (this.#stopped.get(claimed.blastId) ?? -1)
  }

  get size(): number {
    return this.#held.size
  }
}

const stopped_max = 1000

export const claimsOf = (items: ReadonlyArray<Item>): ReadonlyArray<Claim> =>
  items.map(({ claimed: { blastId, id, token } }) => ({ blastId, id, token }))

/** What belongs to one workspace, together. */
export const byWorkspace = <A extends { readonly workspace: WorkspaceId }>(
  all: ReadonlyArray<A>,
): ReadonlyMap<WorkspaceId, ReadonlyArray<A>> => {
  const groups = new Map<WorkspaceId, Array<A>>()
  for (const each of all) {
    const group = groups.get(each.workspace)
    if (group === undefined) groups.set(each.workspace, [each])
    else group.push(each)
  }
  return groups
}
