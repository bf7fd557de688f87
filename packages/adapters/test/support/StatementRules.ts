// Rules for the statements of stores, so that a database that distributes the rows of workspaces over several servers can run them
// too. They read the text of a statement: a parser of SQL words and parentheses is enough for that.

/** A word, a sign, or a group in parentheses. */
type Node = string | Nodes
type Nodes = ReadonlyArray<Node>
type Words = ReadonlyArray<string>

const token =
  /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*.*?\*\/|\$\d+|[a-z_]\w*(?:\.(?:[a-z_]\w*|"[^"]*"))*|\d[\w.]*|::|<=|>=|<>|\S/gis

const parse = (text: string): Nodes => {
  const open: Array<Array<Node>> = [[]]
  for (const [found] of text.matchAll(token)) {
    if (found === "(") {
      const group: Array<Node> = []
      open.at(-1)?.push(group)
      open.push(group)
    } else if (found === ")") open.pop()
    else if (!/^(--|\/\*)/.test(found))
      open.at(-1)?.push(found.startsWith("'") ? "''" : found.replaceAll('"', "").toLowerCase())
  }
  return open[0] ?? []
}

const isGroup = (node: Node | undefined): node is Nodes => typeof node === "object"

const heads = new Set<Node>(["select", "insert", "update", "delete", "with", "values"])
const isQuery = (node: Node | undefined): node is Nodes => isGroup(node) && node[0] !== undefined && heads.has(node[0])

const splitAt = (nodes: Nodes, separators: ReadonlyArray<Node>): ReadonlyArray<Nodes> => {
  const parts: Array<Array<Node>> = [[]]
  for (const node of nodes) {
    if (separators.includes(node)) parts.push([])
    else parts.at(-1)?.push(node)
  }
  return parts
}

/** Every SELECT, INSERT, UPDATE and DELETE, also those within others. */
const queriesOf = (nodes: Nodes, isOne = true): ReadonlyArray<Nodes> => [
  ...(isOne ? splitAt(nodes, ["union", "intersect", "except"]) : []),
  ...nodes.flatMap((node) => (isGroup(node) ? queriesOf(node, isQuery(node)) : [])),
]

const query_words = "(query)"

const wordsOf = (nodes: Nodes, inner: (query: Nodes) => Words): Words =>
  nodes.flatMap((node) =>
    isGroup(node) ? (isQuery(node) ? inner(node) : ["(", ...wordsOf(node, inner), ")"]) : [node],
  )

/** The words of a query, without those of the queries within it. */
const ownWords = (nodes: Nodes): Words => wordsOf(nodes, () => [query_words])

const allWords = (nodes: Nodes): Words => wordsOf(nodes, (query) => ["(", ...allWords(query), ")"])

interface Reference {
  readonly table: string
  readonly alias: string | null
  readonly verb: "read" | "insert" | "update" | "delete"
}

const noAlias = new Set(
  `on using where set join left right inner cross full values select default group order limit offset returning for union window
  having overriding`.split(/\s+/),
)
const endsFrom = new Set(["where", "group", "order", "limit", "offset", "returning", "for", "window", "having", "set"])

/** What the next word names a table for, if it names one. */
const verbAt = (words: Words, index: number, isInFrom: boolean): Reference["verb"] | undefined => {
  const [before = "", word, after] = [words[index - 1], words[index], words[index + 1]]
  if (word === "from") return before === "delete" ? "delete" : before === "distinct" ? undefined : "read"
  if (word === "join" || (word === "using" && after !== "(") || (word === "," && isInFrom)) return "read"
  if (word === "update") return ["for", "key", "do"].includes(before) ? undefined : "update"
  return word === "into" ? "insert" : undefined
}

/** The tenant tables that a query names, without those in the queries within it. */
const referencesOf = (words: Words, tenants: ReadonlySet<string>): ReadonlyArray<Reference> => {
  const found: Array<Reference> = []
  let depth = 0
  let from: number | undefined
  let verb: Reference["verb"] | undefined
  words.forEach((word, index) => {
    if (word === "(") depth++
    if (word === ")") depth--
    if (from !== undefined && (depth < from || (depth === from && endsFrom.has(word)))) from = undefined
    const next = verbAt(words, index, depth === from)
    if (next !== undefined) {
      if (word === "from") from = depth
      verb = next
    } else if (verb !== undefined && !["(", "only", "lateral"].includes(word)) {
      const table = word.replace(/^public\./, "")
      const after = words[index + (words[index + 1] === "as" ? 2 : 1)] ?? ""
      const alias = /^[a-z_]\w*$/.test(after) && !noAlias.has(after) ? after : null
      if (tenants.has(table)) found.push({ table, alias, verb })
      verb = undefined
    }
  })
  return found
}

type IsParameter = (word: string) => boolean

/** Whether the new rows of an INSERT have such a value as their workspace. */
const insertsWorkspace = (query: Nodes, isRight: (word: string) => boolean): boolean => {
  const into = query.indexOf("into")
  const columns = query.findIndex((node, at) => at > into && isGroup(node))
  const index = splitAt(query.slice(columns, columns + 1).flat(), [","]).findIndex(([name]) => name === "workspace_id")
  const rest = query.slice(columns + 1)
  const start = rest.findIndex((node) => node === "values" || node === "select")
  const rows =
    rest[start] === "values" ? rest.slice(start).filter(isGroup).slice(0, 1) : [withoutDistinct(rest.slice(start + 1))]
  const isFirst = (item: Nodes | undefined): boolean => {
    const [first] = item ?? []
    return isGroup(first) ? isFirst(first) : first !== undefined && isRight(first)
  }
  return index >= 0 && start >= 0 && rows.every((row) => isFirst(splitAt(row, [","])[index]))
}

const withoutDistinct = (nodes: Nodes): Nodes =>
  nodes[0] !== "distinct" ? nodes : nodes.slice(nodes[1] === "on" && isGroup(nodes[2]) ? 3 : 1)

/** The aliases whose `workspace_id` equals a parameter; null: the column has no alias. */
const fencedAliases = (words: Words, isParameter: IsParameter): Array<string | null> =>
  words.flatMap((word, index) => {
    const [, alias = null] = /^(?:(\w+)\.)?workspace_id$/.exec(word) ?? [undefined, undefined]
    const value = words.slice(index + 2).find((each) => each !== "(") ?? ""
    return word.endsWith("workspace_id") && words[index + 1] === "=" && isParameter(value) ? [alias] : []
  })

const clocks = new Set(
  "clock_timestamp now transaction_timestamp statement_timestamp current_timestamp localtimestamp current_date".split(
    " ",
  ),
)
const unstable = new Set([
  ...clocks,
  ...`random gen_random_uuid uuidv7 uuid_v7 nextval currval set_config current_setting jsonb_build_object jsonb_build_array
  to_jsonb to_json format concat concat_ws to_char array_to_string date_trunc age advisory_lock advisory_lock_shared
  advisory_lock_shared_try hint_due make_members_due`.split(/\s+/),
])

const volatile = new Set(["clock_timestamp", "gen_random_uuid", "nextval", "random", "uuid_v7"])

const locks = new Set([...unstable].filter((name) => name.startsWith("advisory_lock")))

/** Calls of these functions, and arithmetic of instants if `shifts`: it depends on the time zone of the session. */
const callsIn = (words: Words, names: ReadonlySet<string>, shifts = false): Words => [
  ...new Set(
    words.filter((word, index) => {
      const isCall = names.has(word) && (words[index + 1] === "(" || /^(current|local)/.test(word))
      const isShift = /^(make_)?interval$/.test(word) && /^[+-]$/.test(words[index - 1] ?? "")
      return isCall || (shifts && isShift)
    }),
  ),
]

/** The words from each `case` to its `end`, and those of each COALESCE. */
const conditionals = (words: Words): ReadonlyArray<Words> =>
  words.flatMap((word, index) => {
    const [open, close] = word === "case" ? ["case", "end"] : ["(", ")"]
    if (word !== "case" && (word !== "coalesce" || words[index + 1] !== "(")) return []
    let depth = 0
    const end = words.findIndex((each, at) => {
      if (at < index) return false
      if (each === open) depth++
      if (each === close) depth--
      return each === close && depth === 0
    })
    return [words.slice(index, end)]
  })

const writeFaults = (query: Nodes, table: string): Words => {
  const write = query.slice(query.findIndex((node) => node === "insert" || node === "update" || node === "delete"))
  const words = allWords(write)
  const conflict = write.findIndex((node, index) => node === "on" && write[index + 1] === "conflict")
  // Rows of such a statement reach the other servers by COPY, which row-level security does not allow.
  const isCopied = write[0] === "insert" && write.includes("select") && conflict < 0 && !write.includes("returning")
  const onConflict = conflict < 0 ? [] : write.slice(conflict)
  return [
    ...(isCopied ? [`INSERT … SELECT of ${table} without RETURNING: add returning 1`] : []),
    ...callsIn(words, clocks).map((name) => `${table} is written with ${name}: use transactionTime`),
    ...conditionals(words).flatMap((part) =>
      callsIn(part, unstable, true).map((name) => `${name} in a ${part[0]} of a write of ${table}: compute it before`),
    ),
    ...callsIn(allWords(onConflict), unstable, true).map(
      (name) => `${name} in ON CONFLICT of ${table}: compute it before`,
    ),
    ...(ownWords(onConflict).includes(query_words) ? [`a sub-select in ON CONFLICT of ${table}: read before`] : []),
  ]
}

/** The names of the parts of each WITH. */
const partsOf = (words: Words): ReadonlySet<string> =>
  new Set(
    words.filter((_, index) =>
      /^as (materialized )?\( (select|insert|update|delete|with)/.test(words.slice(index + 1, index + 5).join(" ")),
    ),
  )

/** The workspace of a row of `homeOf`. */
const home = "home.workspace_id"

/** Only with the row of `homeOf` is an INSERT that reads another part sent to one server. */
const insertFaults = (query: Nodes, table: string, parts: ReadonlySet<string>, isParameter: IsParameter): Words => {
  const rows = query.slice(query.indexOf("into") + 2)
  if (referencesOf(allWords(rows), parts).length === 0) {
    return insertsWorkspace(query, (word) => isParameter(word) || word === home)
      ? []
      : [`${table} gets a workspace_id that is not a parameter`]
  }
  return [
    ...(insertsWorkspace(query, (word) => word === home)
      ? []
      : [`${table} reads another part: take its workspace_id from homeOf`]),
    ...callsIn(allWords(rows), volatile).map(
      (name) => `${name} in an INSERT of ${table} that reads another part: compute it in a part`,
    ),
  ]
}

const faultsOf = (
  query: Nodes,
  tenants: ReadonlySet<string>,
  parts: ReadonlySet<string>,
  isParameter: IsParameter,
): Words => {
  const words = ownWords(query)
  const fenced = fencedAliases(words, isParameter)
  const references = referencesOf(words, tenants)
  const faults: Array<string> = references.flatMap(({ alias, table, verb }) => {
    if (verb === "insert") return insertFaults(query, table, parts, isParameter)
    const at = fenced.findIndex((name) => name === null || name === (alias ?? table))
    // A column without alias belongs to one table.
    const isFenced = at >= 0
    if (fenced[at] === null) fenced.splice(at, 1)
    return isFenced
      ? []
      : [`${alias === null ? table : `${table} ${alias}`} has no workspace_id = parameter of its own`]
  })
  // The server of the rows would take the lock, where no other transaction looks for it.
  if (references.length > 0) {
    faults.push(...callsIn(words, locks).map((name) => `${name} beside a table: read before`))
  }
  const written = references.find(({ verb }) => verb !== "read")
  return written === undefined ? faults : [...faults, ...writeFaults(query, written.table)]
}

/** What a distributed database refuses in a statement. `parameters`: names of variables, in functions. */
export const faultsOfStatement = (
  text: string,
  tenants: ReadonlySet<string>,
  parameters: ReadonlySet<string> = new Set(),
): Words => {
  const isParameter = (word: string) => /^\$\d+$/.test(word) || parameters.has(word)
  const nodes = parse(text)
  const parts = partsOf(allWords(nodes))
  return [...new Set(queriesOf(nodes).flatMap((query) => faultsOf(query, tenants, parts, isParameter)))]
}
