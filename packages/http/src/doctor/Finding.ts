// Findings of the doctor, and their table.

export type State = "ok" | "warning" | "wrong"

export interface Finding {
  readonly check: string
  readonly state: State
  /** The result in one sentence. */
  readonly says: string
  /** How to fix it, or null. */
  readonly mend: string | null
}

export const ok = (check: string, says: string): Finding => ({ check, state: "ok", says, mend: null })
export const warning = (check: string, says: string, mend: string): Finding => ({ check, state: "warning", says, mend })
export const wrong = (check: string, says: string, mend: string): Finding => ({ check, state: "wrong", says, mend })

const marks = { ok: "ok     ", warning: "warning", wrong: "WRONG  " } as const

/** The findings as a table. */
export const table = (findings: ReadonlyArray<Finding>): string => {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .flatMap(({ check, mend, says, state }) => [
      `${marks[state]}  ${check.padEnd(width)}  ${says}`,
      ...(mend === null ? [] : [`${" ".repeat(width + 11)}${mend}`]),
    ])
    .join("\n")
}
