// Exemptions from rules: each has a reason, and is a violation itself when nothing needs it.

export interface Violation {
  readonly path: string
  readonly line: number
  readonly what: string
  readonly remedy?: string
  /** The name of what offends, where an exemption goes by names. */
  readonly subject?: string
}

export interface Exemption {
  /** A path, the beginning of paths when it ends in a slash, or the name of what is exempt. */
  readonly at: string
  readonly reason: string
  /** The test that checks the exempt thing in another way. */
  readonly by?: string
}

const covers = ({ at }: Exemption, { path, subject }: Violation): boolean =>
  at === path || at === subject || (at.endsWith("/") && path.startsWith(at))

/** The violations that no exemption covers, and the exemptions that cover none or whose test does not exist. */
export const without = (
  exempt: ReadonlyArray<Exemption>,
  violations: ReadonlyArray<Violation>,
  exists: (path: string) => boolean = () => true,
): ReadonlyArray<Violation> => [
  ...violations.filter((violation) => !exempt.some((each) => covers(each, violation))),
  ...exempt.flatMap(({ at, by, reason }) => {
    const stale = { path: at, line: 1, remedy: reason }
    if (by !== undefined && !exists(by)) return [{ ...stale, what: `is exempt because of ${by}, which does not exist` }]
    const isNeeded = violations.some((violation) => covers({ at, reason }, violation))
    return isNeeded ? [] : [{ ...stale, what: "needs no exemption: delete it" }]
  }),
]
