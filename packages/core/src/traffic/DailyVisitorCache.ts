// What a process knows of the days that views are of, so that it asks and tells nothing twice: their salts, who their visitors
// are, and which of those the store was told of. In memory only, bounded, and gone with the day.
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
  /** Null for a machine. */
  readonly visitor: (facts: VisitorFacts) => KnownVisitor | null
  /** Whether the store was told of a visitor, as far as is remembered. */
  readonly wasTold: (visitor: DayVisitor) => boolean
  readonly told: (visitor: DayVisitor) => void
}

/** Characters of addresses and user agents: some 50,000 visitors. */
const visitors_weight_max = 10_000_000
const told_max = 100_000

/** Days by their number. `of` reads the salt of a day that is not known yet; `forget` drops those before one. */
export const dailyVisitorCache = Effect.gen(function* () {
  const store = yield* TrafficStore
  const { transact } = yield* Transactor
  const { randomBytes, sha256 } = yield* Secrets
  const { agentOf } = yield* Agents
  const known = new Map<number, KnownDay>()

  const learn = (day: Day, salt: Uint8Array): KnownDay => {
    const visitors = new WeightedLru<KnownVisitor | null>(visitors_weight_max)
    const told = new WeightedLru<true>(told_max)
    const meet = (facts: VisitorFacts): KnownVisitor | null => {
      const agent = agentOf(facts)
      return agent === null ? null : { agent, hash: Hex.encode(visitorOf(sha256, salt, facts)) }
    }
    return {
      day,
      visitor: (facts) => {
        const key = `${facts.workspaceId}\0${facts.address}\0${facts.userAgent}`
        const found = visitors.get(key)
        if (found !== undefined) return found
        const met = meet(facts)
        visitors.set(key, met, { weight: key.length })
        return met
      },
      wasTold: ({ tentId, visitor }) => told.get(`${tentId}/${visitor}`) ?? false,
      told: ({ tentId, visitor }) => told.set(`${tentId}/${visitor}`, true),
    }
  }

  return {
    of: Effect.fnUntraced(function* (at: DateTime.Utc) {
      const number = dayNumberOf(at)
      const found = known.get(number)
      if (found !== undefined) return found
      const day = dayOf(at)
      const salt = yield* retryTransient(transact(store.salt(day, yield* randomBytes(salt_bytes))), { retries_max: 5 })
      // Two batches may have asked at once: they go on with the same.
      const learnt = known.get(number) ?? learn(day, salt)
      known.set(number, learnt)
      return learnt
    }),
    forget: (before: DateTime.Utc) => {
      for (const number of known.keys()) if (number < dayNumberOf(before)) known.delete(number)
    },
  }
})
