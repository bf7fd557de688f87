// The file of the entries that the filters leave: made in the browser from the pages of the listing.
import { Button } from "@mantine/core"
import { useState } from "react"
import { admin } from "../../api/client.ts"
import { saveCsv } from "../../csv.ts"
import { DownloadIcon } from "../../Icons.tsx"
import { announce } from "../../shell/Announcer.tsx"
import { useWords } from "../../words/Words.tsx"
import { type AuditEntry, type AuditQuery, csv_columns, csv_rows_max, csvRowOf } from "./audit.ts"

interface Props {
  readonly query: AuditQuery
  readonly onEnd: (end: CsvEnd) => void
}

/** How a file ended: cut off at the largest number of rows, or failed. Null: it is whole. */
export type CsvEnd = { readonly rows: number } | { readonly error: unknown } | null

const page_size = 100

/** The newest entries, and whether there are more. */
const read = async (query: AuditQuery, onRows: (rows: number) => void) => {
  const entries: Array<AuditEntry> = []
  for await (const page of admin.auditLog.list.pages({ query: { ...query, limit: page_size } })) {
    const left = csv_rows_max - entries.length
    entries.push(...page.entries.slice(0, left))
    onRows(entries.length)
    if (entries.length >= csv_rows_max)
      return { entries, isCut: page.entries.length > left || page.next_cursor !== null }
  }
  return { entries, isCut: false }
}

export const CsvButton = ({ onEnd, query }: Props) => {
  const words = useWords("operations").audit
  const [rows, setRows] = useState<number | null>(null)
  const save = async () => {
    setRows(0)
    onEnd(null)
    try {
      const { entries, isCut } = await read(query, setRows)
      saveCsv("audit-log.csv", csv_columns, entries.map(csvRowOf))
      announce(words.csvSaved(entries.length))
      if (isCut) onEnd({ rows: entries.length })
    } catch (error) {
      onEnd({ error })
    } finally {
      setRows(null)
    }
  }
  return (
    <Button
      variant="default"
      leftSection={<DownloadIcon size={16} />}
      disabled={rows !== null}
      title={words.csvText}
      onClick={() => void save()}
    >
      {rows === null ? words.csv : words.csvReading(rows)}
    </Button>
  )
}
