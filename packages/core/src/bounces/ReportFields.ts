// Groups of fields in delivery status and feedback reports (RFC 3464 §2.1, RFC 5965 §3): `Name: value` lines, folded like a
// message's header, with an empty line between groups. Malformed reports are read as far as possible.

/** Fields by name, in lower case. Of several with one name, the first. */
export type Fields = ReadonlyMap<string, string>

const lines_max = 2000
const value_length_max = 2000

const field = /^([!-9;-~]{1,76})[ \t]*:[ \t]*(.*)$/

/** `begins`: a second field of this name starts another group, even without an empty line. */
export const fieldGroups = (text: string, begins: string): ReadonlyArray<Fields> => {
  const groups: Array<Map<string, string>> = []
  let group = new Map<string, string>()
  let last: string | undefined
  const close = () => {
    if (group.size > 0) groups.push(group)
    group = new Map()
    last = undefined
  }
  for (const line of text.split(/\r\n|\r|\n/, lines_max)) {
    if (line.trim() === "") {
      close()
      continue
    }
    if (/^[ \t]/.test(line) && last !== undefined) {
      group.set(last, `${group.get(last) ?? ""} ${line.trim()}`.slice(0, value_length_max))
      continue
    }
    const [, name, value = ""] = field.exec(line) ?? []
    if (name === undefined) continue
    const key = name.toLowerCase()
    if (key === begins && group.has(key)) close()
    last = key
    if (!group.has(key)) group.set(key, value.trim().slice(0, value_length_max))
  }
  close()
  return groups
}

/** A value without its comments (RFC 5322 §3.2.2), in lower case. */
export const token = (value: string | undefined): string =>
  (value ?? "")
    .replace(/\([^()]*\)/g, " ")
    .trim()
    .toLowerCase()
