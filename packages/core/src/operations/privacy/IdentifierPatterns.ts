// By what somebody can be found in texts: addresses and numbers, now and formerly.
export interface IdentifierPatterns {
  /** Normalized, and as they were written; in lower case. None of them is another contact's by now. */
  readonly emails: ReadonlyArray<string>
  /** E.164. */
  readonly phones: ReadonlyArray<string>
}

/** Of everything that stands in a contact's timeline and in its messages, what is an address or a number. */
export const identifierPatternsOf = (
  emails: Iterable<string | null>,
  phones: Iterable<string | null>,
): IdentifierPatterns => ({
  emails: distinct(emails, (email) => email.toLowerCase()),
  phones: distinct(phones, (phone) => phone),
})

const distinct = (all: Iterable<string | null>, as: (text: string) => string): ReadonlyArray<string> => [
  ...new Set([...all].flatMap((each) => (each === null || each === "" ? [] : [as(each)]))),
]

/** Of lines of a timeline that tell of changes: what an address or a number was, and became. */
export const formerIdentifiers = (
  metadata: Readonly<Record<string, unknown>>,
  field: "email" | "phone",
): ReadonlyArray<string> => {
  const changes: unknown = metadata["changes"]
  if (!Array.isArray(changes)) return []
  return changes.flatMap((change: Readonly<Record<string, unknown>>) =>
    change["field"] === field ? [change["from"], change["to"]].filter((each) => typeof each === "string") : [],
  )
}

const literally = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, "\\$&")

/**
 * A regular expression, for JavaScript and PostgreSQL alike, that finds them in a text in lower case: `ann@x.test` is not in
 * `joann@x.test`, nor in `ann@x.test.example`. Null when there is nothing to find.
 */
export const patternOf = ({ emails, phones }: IdentifierPatterns): string | null => {
  const found = [
    ...emails.map((email) => `(^|[^a-z0-9._%+-])${literally(email)}($|[^a-z0-9.-]|\\.($|[^a-z0-9]))`),
    ...phones.map((phone) => `(^|[^0-9])${literally(phone)}($|[^0-9])`),
  ]
  return found.length === 0 ? null : found.join("|")
}

/** Whether a text names them. */
export const matchesText = (traces: IdentifierPatterns): ((text: string) => boolean) => {
  const pattern = patternOf(traces)
  if (pattern === null) return () => false
  const found = new RegExp(pattern)
  return (text) => found.test(text.toLowerCase())
}

/** The same for a cell of a table, where numbers are written as people write them. */
export const matchesCells = (traces: IdentifierPatterns): ((cell: string) => boolean) => {
  const names = matchesText(traces)
  const numbers = traces.phones.map((phone) => phone.replace(/\D/g, ""))
  return (cell) => {
    if (names(cell)) return true
    if (!/^[+\d\s()./-]{7,}$/.test(cell)) return false
    const digits = cell.replace(/\D/g, "").replace(/^0+/, "")
    return digits.length >= digits_min && numbers.some((number) => number.endsWith(digits))
  }
}

/** Fewer are the end of many numbers. */
const digits_min = 7
