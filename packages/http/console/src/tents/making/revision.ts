// The revision that this tab requested last, for each page: the page itself does not name it.
import { useSyncExternalStore } from "react"

const key = (tentId: string): string => `tentpole-revision:${tentId}`

const listeners = new Set<() => void>()

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const rememberRevision = (tentId: string, generationId: string | null): void => {
  if (generationId === null) sessionStorage.removeItem(key(tentId))
  else sessionStorage.setItem(key(tentId), generationId)
  for (const listener of listeners) listener()
}

export const useRevision = (tentId: string): string | null =>
  useSyncExternalStore(subscribe, () => sessionStorage.getItem(key(tentId)))
