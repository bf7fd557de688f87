// The guess of a CSV file's delimiter from the beginning of the file.

const delimiters = [",", ";", "\t", "|"]
const records_max = 10
/** A delimiter that splits fewer than nearly all records into two fields is text. */
const fields_min = 1.99

/** The candidate that gives the records the most equal numbers of fields, then the most fields; a comma when none fits. */
export const guessDelimiter = (head: string): string => {
  let best = { delimiter: ",", changes: Infinity, average: 0 }
  for (const delimiter of delimiters) {
    const counts = fieldCounts(head, delimiter)
    const average = counts.reduce((sum, count) => sum + count, 0) / counts.length
    const changes = counts.reduce((sum, count, at) => sum + Math.abs(count - (counts[at - 1] ?? count)), 0)
    const isBetter = changes < best.changes || (changes === best.changes && average > best.average)
    if (average > fields_min && isBetter) best = { delimiter, changes, average }
  }
  return best.delimiter
}

/** The number of fields in each of the first records; empty lines are skipped. */
const fieldCounts = (text: string, delimiter: string): ReadonlyArray<number> => {
  const counts: Array<number> = []
  const end = `(?:${delimiter === "|" ? "\\|" : delimiter}|\\r\\n|\\r|\\n|$)`
  // A quote ends a quoted field only before the field's end.
  const field = new RegExp(`(?:"(?:[^"]+|""|"(?! *${end}))*"?)?[^${delimiter}\\r\\n]*(${end})`, "gy")
  for (let records = 0, fields = 1, length = 0; records < records_max;) {
    const [whole = "", separator = ""] = field.exec(text) ?? []
    length += whole.length - separator.length
    if (separator === delimiter) fields++
    else {
      if (fields > 1 || length > 0) counts.push(fields)
      records++
      fields = 1
      length = 0
    }
    if (separator === "") break
  }
  return counts
}
