// What the rows of a builder know besides their condition.
import { createContext, useContext } from "react"
import type { Vocabulary } from "../vocabulary.ts"

/** Facts about one condition or group. */
export interface Mark {
  /** Messages of a refused request. */
  readonly issues?: ReadonlyArray<string>
  /** Contacts that match this condition alone. Null while they are counted. */
  readonly count?: number | null
  /** Whether the tried contact matches. */
  readonly held?: boolean
}

export type Marks = ReadonlyMap<string, Mark>

export interface Rows {
  readonly vocabulary: Vocabulary
  /** By path, such as `conditions.0`; the empty path is the root. */
  readonly marks: Marks
  /** Groups and conditions of the whole tree. */
  readonly nodes: number
  readonly isReadOnly: boolean
}

const RowsContext = createContext<Rows | null>(null)

export const RowsProvider = RowsContext.Provider

export const useRows = (): Rows => {
  const rows = useContext(RowsContext)
  if (rows === null) throw new Error("useRows is called outside of RuleBuilder")
  return rows
}
