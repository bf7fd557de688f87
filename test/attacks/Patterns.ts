// Patterns that may take for ever: a quantifier without bound around one without bound. Where both can take the same letters,
// a text that almost fits is tried in every way in which it can be cut.

interface Group {
  readonly at: number
  /** Something in it repeats without end. */
  repeats: boolean
}

const endless = /^(?:[*+]|\{\d+,\})/

/** The innermost group of a pattern that repeats without end and holds what does; null where there is none. */
export const nestedQuantifier = (literal: string): string | null => {
  const body = literal.slice(1, literal.lastIndexOf("/"))
  const open: Array<Group> = [{ at: 0, repeats: false }]
  for (let at = 0; at < body.length; at++) {
    let closed: Group | undefined
    if (body[at] === "(") {
      open.push({ at, repeats: false })
      // The mark of a group's kind is no quantifier.
      continue
    }
    if (body[at] === "\\") at++
    else if (body[at] === "[") at = endOfClass(body, at)
    else if (body[at] === ")") closed = open.pop()
    const repeats = endless.test(body.slice(at + 1))
    if (closed?.repeats === true && repeats) return body.slice(closed.at, at + 2)
    const around = open.at(-1)
    if (around !== undefined && (repeats || closed?.repeats === true)) around.repeats = true
  }
  return null
}

const endOfClass = (body: string, from: number): number => {
  let at = from + 1
  while (at < body.length && body[at] !== "]") at += body[at] === "\\" ? 2 : 1
  return at
}
