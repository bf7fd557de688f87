// How busy this process is with mail. Other work yields to it.
import { Context, Layer } from "effect"
import { performance } from "node:perf_hooks"

/** Above this share of its time the process is busy. */
const busy_min = 0.8
/** A pause shorter than this is none. */
const pause_min_ms = 100
const pause_max_ms = 2_000
/** A short peak costs one short pause. */
const pause_growth = 16

interface Load {
  /** Called by the sender. */
  readonly watch: (inFlight: { readonly size: number }) => void
  /** How long other work pauses now between two of its turns. */
  readonly pause_ms: () => number
}

/** By default no mail is sent. */
export const SendingLoad = Context.Reference<Load>("tentpole/worker/SendingLoad", {
  defaultValue: () => ({ watch: () => undefined, pause_ms: () => 0 }),
})

export const layer = Layer.sync(SendingLoad, () => {
  let sending: { readonly size: number } = { size: 0 }
  let last = performance.eventLoopUtilization()
  let [pause_ms, since_ms] = [0, performance.now()]
  return {
    watch: (inFlight) => {
      sending = inFlight
    },
    pause_ms: () => {
      const passed_ms = performance.now() - since_ms
      if (sending.size > 0 && passed_ms < Math.max(pause_min_ms, pause_ms)) return pause_ms
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      pause_ms = nextPause_ms(pause_ms, sending.size > 0, utilization)
      last = now
      since_ms += passed_ms
      return pause_ms
    },
  }
})

/** The pause after one of `last_ms`: longer while mail is sent and the process is busy, shorter while there is time left. */
export const nextPause_ms = (last_ms: number, sends: boolean, utilization: number): number => {
  if (!sends) return 0
  if (utilization > busy_min) return Math.min(pause_max_ms, Math.max(pause_min_ms, pause_growth * last_ms))
  return last_ms / 2 < pause_min_ms ? 0 : last_ms / 2
}
