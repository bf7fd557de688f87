// Claimed deliveries that wait for a connection: one queue for each workspace, served in turn, so that a large workspace does
// not delay a small one. The queues hold what the connections take in a second, or until the next claim if claims take longer.
import { estimateContactBytes } from "@tentpole/core/sending/DeliveryStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect, Latch } from "effect"
import type { Item } from "./InFlight.ts"

export interface QueueOptions {
  readonly claim_batch_max: number
  readonly connections_max: number
}

/** What the queues can take. */
export interface Look {
  readonly full: boolean
  /** Workspaces whose queues are long enough. */
  readonly except: ReadonlyArray<WorkspaceId>
}

/** Period over which the demand of the connections is measured. */
const measure_ms = 250
/** Connections had to wait, so they could take more than they took. */
const starved_factor = 4
/** Maximum weight of waiting contacts, not counting the last claim. */
const waiting_bytes_max = 32_000_000

export class FairQueue {
  /** In the order of turns. */
  readonly #queues = new Map<WorkspaceId, Array<Item>>()
  readonly #offered = Latch.makeUnsafe(false)
  readonly #hungry = Latch.makeUnsafe(false)
  readonly #room_min: number
  readonly #room_max: number
  #room: number
  #size = 0
  #bytes = 0
  #served = 0
  #starved = false
  #measured_at_ms = 0
  #look: { readonly full: boolean; readonly except: ReadonlySet<WorkspaceId> } = { full: false, except: new Set() }

  constructor({ claim_batch_max, connections_max }: QueueOptions) {
    this.#room_max = 2 * claim_batch_max
    this.#room_min = Math.min(this.#room_max, 2 * connections_max)
    this.#room = this.#room_min
  }

  offer(workspace: WorkspaceId, items: ReadonlyArray<Item>): void {
    if (items.length === 0) return
    const queue = this.#queues.get(workspace)
    if (queue === undefined) this.#queues.set(workspace, [...items])
    else queue.push(...items)
    this.#size += items.length
    for (const item of items) this.#bytes += bytesOf(item)
    this.#offered.openUnsafe()
  }

  /** Waits for the next delivery of the workspace whose turn it is. */
  readonly take: Effect.Effect<Item> = Effect.suspend(() => {
    const item = this.#shift()
    return item === undefined ? Effect.andThen(this.#offered.await, this.take) : Effect.succeed(item)
  })

  #shift(): Item | undefined {
    const [turn] = this.#queues
    const [workspace, queue] = turn ?? []
    const item = queue?.shift()
    if (workspace === undefined || queue === undefined || item === undefined) {
      this.#offered.closeUnsafe()
      this.#starved = true
      return undefined
    }
    this.#queues.delete(workspace)
    if (queue.length > 0) this.#queues.set(workspace, queue)
    this.#size--
    this.#served++
    this.#bytes -= bytesOf(item)
    const { except, full } = this.#look
    if (full ? this.#size <= this.#room / 2 : except.has(workspace) && this.#isShort(workspace)) {
      this.#hungry.openUnsafe()
    }
    return item
  }

  /** Measures demand and returns what the queues can take. `needsMore` then waits for a change. */
  capacity(now_ms: number): Look {
    const passed_ms = now_ms - this.#measured_at_ms
    if (passed_ms >= measure_ms || passed_ms < 0) {
      const taken = (this.#starved ? starved_factor : 1) * this.#served
      const ahead = (taken * Math.max(1000, passed_ms)) / Math.max(measure_ms, passed_ms)
      this.#room = Math.min(this.#room_max, Math.max(this.#room_min, Math.floor(ahead)))
      this.#served = 0
      this.#starved = false
      this.#measured_at_ms = now_ms
    }
    this.#hungry.closeUnsafe()
    const full = this.#size > 0 && (this.#room - this.#size < 2 || this.#bytes >= waiting_bytes_max)
    const except = [...this.#queues.keys()].filter((workspace) => !this.#isShort(workspace))
    this.#look = { full, except: new Set(except) }
    return { full, except }
  }

  /** Waits until there is space that the last call of `capacity` did not report. */
  readonly needsMore: Effect.Effect<void> = Effect.suspend(() => this.#hungry.await)

  /** How many more deliveries of a workspace may wait: half of the free space, so that another workspace always finds some. */
  roomFor(workspace: WorkspaceId): number {
    if (this.#bytes >= waiting_bytes_max) return 0
    return Math.max(0, Math.floor((this.#room - this.#size - this.#waiting(workspace)) / 2))
  }

  /** A queue is refilled when it can at least be doubled: large claims are cheaper. */
  #isShort(workspace: WorkspaceId): boolean {
    return this.roomFor(workspace) >= Math.max(1, this.#waiting(workspace))
  }

  #waiting(workspace: WorkspaceId): number {
    return this.#queues.get(workspace)?.length ?? 0
  }
}

const bytesOf = ({ claimed }: Item): number => (claimed.contact === null ? 0 : estimateContactBytes(claimed.contact))
