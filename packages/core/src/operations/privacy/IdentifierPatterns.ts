// Patterns that match a contact's current and former email addresses and phone numbers in free text.
export interface IdentifierPatterns {
  /** Normalized and as written, in lower case. Without addresses that another contact has now. */
  readonly emails: ReadonlyArray<string>
  /** E.164. */
  readonly phones: ReadonlyArray<string>
}

/** Collects the addresses and numbers of a contact's timeline and messages. */
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

/** The former and new addresses or numbers in the metadata of a timeline's activity, and the one that a merge has left over. */
export const formerIdentifiers = (
  metadata: Readonly<Record<string, unknown>>,
  field: "email" | "phone",
): ReadonlyArray<string> => {
  const changes: unknown = metadata["changes"]
  const changed = Array.isArray(changes)
    ? changes.flatMap((change: Readonly<Record<string, unknown>>) =>
        change["field"] === field ? [change["from"], change["to"]] : [],
      )
    : []
  return [...changed, metadata[field]].filter((each) => typeof each === "string")
}

const literally = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, "\\$&")

/**
 * A regular expression, for JavaScript and PostgreSQL alike, that matches them in lower-case text: `ann@x.test` does not match in
 * `joann@x.test`, nor in `ann@x.test.example`. Null when there is nothing to match.
 */
export const patternOf = ({ emails, phones }: IdentifierPatterns): string | null => {
  const found = [
    ...emails.map((email) => `(^|[^a-z0-9._%+-])${literally(email)}($|[^a-z0-9.-]|\\.($|[^a-z0-9]))`),
    ...phones.map((phone) => `(^|[^0-9])${literally(phone)}($|[^0-9])`),
  ]
  return found.length === 0 ? null : found.join("|")
}

/** Whether a text contains one of them. */
export const matchesText = (traces: IdentifierPatterns): ((text: string) => boolean) => {
  const pattern = patternOf(traces)
  if (pattern === null) return () => false
  const found = new RegExp(pattern)
  return (text) => found.test(text.toLowerCase())
}

/** Whether a cell contains one of them. Also matches phone numbers in local notation. */
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

/** Shorter digit sequences are the end of many numbers. */
const digits_min = 7
