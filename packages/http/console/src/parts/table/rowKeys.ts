// Keys of a table: `j` and `k` move between rows, `x` chooses the row that has the focus, and `Shift+x` all rows from the one
// that was chosen last up to it. Enter follows its link.
import type { RefObject } from "react"
import { useKeys } from "../../shell/keys.ts"

interface Table {
  readonly box: RefObject<HTMLElement | null>
  readonly count: number
  /** Scrolls to a row. */
  readonly show: (index: number) => void
  readonly toggle: (index: number) => void
  readonly toggleTo: (index: number) => void
}

/** The row that has the focus, or null. */
const focused = (box: HTMLElement | null): number | null => {
  const row = document.activeElement?.closest<HTMLElement>("[data-index]") ?? null
  return row !== null && box?.contains(row) === true ? Number(row.dataset["index"]) : null
}

const focus = (box: HTMLElement | null, index: number): void => {
  const row = box?.querySelector(`[data-index="${index}"]`)
  const target = row?.querySelector<HTMLElement>("a") ?? row?.querySelector<HTMLElement>("button, input")
  target?.focus()
}

export const useRowKeys = ({ box, count, show, toggle, toggleTo }: Table): void => {
  const move = (by: number) => {
    if (count === 0) return
    const from = focused(box.current)
    const index = from === null ? 0 : Math.min(count - 1, Math.max(0, from + by))
    show(index)
    // The row is in the document after the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => focus(box.current, index)))
  }
  const onFocused = (run: (index: number) => void) => {
    const index = focused(box.current)
    if (index !== null) run(index)
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => onFocused(toggle),
    "shift+X": () => onFocused(toggleTo),
  })
}
