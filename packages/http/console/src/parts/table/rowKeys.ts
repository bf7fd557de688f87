// Keys of a table: `j` and `k` move between rows, `x` chooses the row that has the focus. Enter follows its link.
import type { RefObject } from "react"
import { useKeys } from "../../shell/keys.ts"

interface Table {
  readonly box: RefObject<HTMLElement | null>
  readonly count: number
  /** Scrolls to a row. */
  readonly show: (index: number) => void
  readonly toggle: (index: number) => void
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

export const useRowKeys = ({ box, count, show, toggle }: Table): void => {
  const move = (by: number) => {
    if (count === 0) return
    const from = focused(box.current)
    const index = from === null ? 0 : Math.min(count - 1, Math.max(0, from + by))
    show(index)
    // The row is in the document after the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => focus(box.current, index)))
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => {
      const index = focused(box.current)
      if (index !== null) toggle(index)
    },
  })
}
