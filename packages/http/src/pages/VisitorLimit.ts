// Limits of what one visitor may request, over all processes: a token bucket for each network address.
import { requestLimit } from "@tentpole/core/kernel/runtime/RequestLimit"
import { Effect } from "effect"
import { networkOf } from "./ClientAddress.ts"

export interface VisitorLimitOptions {
  /** Requests at once: many people may share an address. */
  readonly burst: number
  readonly per_second: number
  readonly visitors_max: number
}

/** Returns a function that takes a token of an address: 0, or the seconds until there is one. */
export const visitorLimit = Effect.fnUntraced(function* (
  limit: "forms" | "views",
  { burst, per_second, visitors_max }: VisitorLimitOptions,
) {
  const { take } = yield* requestLimit({ limit, capacity: burst, per_second, keys_max: visitors_max })
  return (address: string) => Effect.map(take(networkOf(address)), ({ retryAfter_s }) => retryAfter_s)
})
