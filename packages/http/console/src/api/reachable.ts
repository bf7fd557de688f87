// Whether the service answers. The bar at the top of the page shows when it does not.
import { useSyncExternalStore } from "react"

let reachable = true
const listeners = new Set<() => void>()

/** Records the outcome of a call. */
export const isReachable = (now: boolean): void => {
  if (now === reachable) return
  reachable = now
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useReachable = (): boolean => useSyncExternalStore(subscribe, () => reachable)
