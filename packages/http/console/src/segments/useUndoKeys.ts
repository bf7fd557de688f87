// Undo and redo of a builder by keys, while the focus is in it. Texts of its fields are undone with it, not each by itself.
import { type RefObject, useEffect, useRef } from "react"
import type { RulesState } from "./useRules.ts"

type Steps = Pick<RulesState, "undo" | "redo">

const stepOf = ({ redo, undo }: Steps, { key, shiftKey }: KeyboardEvent): (() => void) | null | undefined => {
  const letter = key.toLowerCase()
  if (letter === "y" || (letter === "z" && shiftKey)) return redo
  return letter === "z" ? undo : undefined
}

export const useUndoKeys = (steps: Steps): RefObject<HTMLDivElement | null> => {
  const box = useRef<HTMLDivElement>(null)
  const latest = useRef(steps)
  useEffect(() => {
    latest.current = steps
  }, [steps])
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return
      if (!(event.target instanceof Node) || box.current?.contains(event.target) !== true) return
      const step = stepOf(latest.current, event)
      if (step === undefined) return
      event.preventDefault()
      step?.()
    }
    document.addEventListener("keydown", hear)
    return () => document.removeEventListener("keydown", hear)
  }, [])
  return box
}
