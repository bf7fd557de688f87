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
  /** The test that holds the exempt thing in another way. */
  readonly by?: string
}

const covers = ({ at }: Exemption, { path, subject }: Violation): boolean =>
  at === path || at === subject || (at.endsWith("/") && path.startsWith(at))

const stale = ({ at, reason }: Exemption, what: string): Violation => ({ path: at, line: 1, what, remedy: reason })

/** The violations that no exemption covers, and the exemptions that cover none or whose test does not exist. */
export const without = (
  exempt: ReadonlyArray<Exemption>,
  violations: ReadonlyArray<Violation>,
  exists: (path: string) => boolean = () => true,
): ReadonlyArray<Violation> => [
  ...violations.filter((violation) => !exempt.some((each) => covers(each, violation))),
  ...exempt
    .filter((each) => !violations.some((violation) => covers(each, violation)))
    .map((each) => stale(each, "needs no exemption: delete it")),
  ...exempt
    .filter(({ by }) => by !== undefined && !exists(by))
    .map((each) => stale(each, `is exempt because of ${each.by}, which does not exist`)),
]
