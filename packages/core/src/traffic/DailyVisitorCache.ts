// A bounded cache of days: their salts, their visitors, and which visitors are stored. Dropped when the day is over.
import { type DateTime, Effect } from "effect"
import { Hex } from "effect/encoding"
import { WeightedLru } from "../kernel/runtime/WeightedLru.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type Agent, Agents } from "./Agents.ts"
import { type Day, dayNumberOf, dayOf } from "./Analytics.ts"
import { retryTransient } from "../kernel/runtime/retryTransient.ts"
import { TrafficStore } from "./TrafficStore.ts"
import type { DayVisitor } from "./ViewBatch.ts"
import { salt_bytes, type VisitorFacts, visitorOf } from "./Visitor.ts"

export interface KnownVisitor {
  readonly agent: Agent
  /** In hex. */
  readonly hash: string
}

export interface KnownDay {
  readonly day: Day
  /** Null for a bot. */
  readonly visitor: (facts: VisitorFacts) => KnownVisitor | null
  /** Whether the visitor was written to the store, as far as the cache remembers. */
  readonly isStored: (visitor: DayVisitor) => boolean
  readonly markStored: (visitor: DayVisitor) => void
}

/** Characters of addresses and user agents: about 50,000 visitors. */
const visitors_weight_max = 10_000_000
const stored_max = 100_000

/** Days by their number. `of` reads the salt of an unknown day; `forget` drops the days before one. */
export const dailyVisitorCache = Effect.gen(function* () {
  const store = yield* TrafficStore
  const { transact } = yield* Transactor
  const { randomBytes, sha256 } = yield* Secrets
  const { agentOf } = yield* Agents
  const known = new Map<number, KnownDay>()

  const toKnownDay = (day: Day, salt: Uint8Array): KnownDay => {
    const visitors = new WeightedLru<KnownVisitor | null>(visitors_weight_max)
    const stored = new WeightedLru<true>(stored_max)
    const identify = (facts: VisitorFacts): KnownVisitor | null => {
      const agent = agentOf(facts)
      return agent === null ? null : { agent, hash: Hex.encode(visitorOf(sha256, salt, facts)) }
    }
    return {
      day,
      visitor: (facts) => {
        const key = `${facts.workspaceId}\0${facts.address}\0${facts.userAgent}`
        const found = visitors.get(key)
        if (found !== undefined) return found
        const identified = identify(facts)
        visitors.set(key, identified, { weight: key.length })
        return identified
      },
      isStored: ({ tentId, visitor }) => stored.get(`${tentId}/${visitor}`) ?? false,
      markStored: ({ tentId, visitor }) => stored.set(`${tentId}/${visitor}`, true),
    }
  }

  return {
    of: Effect.fnUntraced(function* (at: DateTime.Utc) {
      const number = dayNumberOf(at)
      const found = known.get(number)
      if (found !== undefined) return found
      const day = dayOf(at)
      const salt = yield* retryTransient(transact(store.salt(day, yield* randomBytes(salt_bytes))), { retries_max: 5 })
      // Two batches may have read the salt at once: both use the first.
      const knownDay = known.get(number) ?? toKnownDay(day, salt)
      known.set(number, knownDay)
      return knownDay
    }),
    forget: (before: DateTime.Utc) => {
      for (const number of known.keys()) if (number < dayNumberOf(before)) known.delete(number)
    },
  }
})
