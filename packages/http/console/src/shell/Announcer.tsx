// The polite live region: readers of screens hear what happened without losing their place.
import { VisuallyHidden } from "@mantine/core"
import { useSyncExternalStore } from "react"

let text = ""
const listeners = new Set<() => void>()

const say = (next: string): void => {
  text = next
  for (const listener of listeners) listener()
}

/** Announces a result, such as "120 contacts". The same text twice is announced twice. */
export const announce = (next: string): void => {
  say("")
  setTimeout(() => say(next), 50)
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const Announcer = () => {
  const shown = useSyncExternalStore(subscribe, () => text)
  return <VisuallyHidden role="status">{shown}</VisuallyHidden>
}
