// Undo and redo: the states before the present one, and those that were undone.
export interface History<State> {
  readonly past: ReadonlyArray<State>
  readonly present: State
  readonly future: ReadonlyArray<State>
  /** What the last change was about, and when. Null: it is undone alone. */
  readonly last: { readonly key: string; readonly at_ms: number } | null
}

/** States that can be undone. */
const past_max = 200
/** Changes of the same thing that follow each other faster are one: a word is not undone by letters. */
const together_ms = 800

export const historyOf = <State>(present: State): History<State> => ({ past: [], present, future: [], last: null })

export const changed = <State>(
  history: History<State>,
  next: State,
  key: string | null,
  now_ms: number,
): History<State> => {
  const { last } = history
  const isTogether = last !== null && last.key === key && now_ms - last.at_ms < together_ms
  const past = isTogether ? history.past : [...history.past, history.present].slice(-past_max)
  return { past, present: next, future: [], last: key === null ? null : { key, at_ms: now_ms } }
}

export const undone = <State>(history: History<State>): History<State> => {
  const before = history.past.at(-1)
  if (before === undefined) return history
  return { past: history.past.slice(0, -1), present: before, future: [history.present, ...history.future], last: null }
}

export const redone = <State>(history: History<State>): History<State> => {
  const [after, ...future] = history.future
  if (after === undefined) return history
  return { past: [...history.past, history.present], present: after, future, last: null }
}
