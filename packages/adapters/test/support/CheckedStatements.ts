// Checks each statement that stores run in a test against `StatementRules.ts`. Statements of tests themselves are not checked.
import { Effect, Layer } from "effect"
import { Statement } from "effect/sql"
import { globSync, readFileSync } from "node:fs"
import { faultsOfStatement } from "./StatementRules.ts"

const folder = `${import.meta.dirname}/../../src/`
const sources = globSync("**/*.ts", { cwd: folder })
  .map((path) => readFileSync(folder + path, "utf8"))
  .join("\n")

/** The tables of workspaces, and the view of one. */
export const tenantTables: ReadonlySet<string> = new Set([
  "fenced_contact",
  ...Array.from(
    readFileSync(`${folder}postgres/migrations/baseline/access.sql`, "utf8")
      .split("::regclass[]")[0]
      ?.split("array array[")[1]
      ?.matchAll(/'(\w+)'/g) ?? [],
    ([, name = ""]) => name,
  ),
])

/** The first texts of statements, and whether a template of the sources begins with them. */
const firstTexts = new Map<string, boolean>()

const isOfStores = (statement: Statement.Statement<unknown>): boolean => {
  const first = statement.segments.find((segment) => segment._tag === "Literal")?.value ?? ""
  const known = firstTexts.get(first)
  if (known !== undefined) return known
  const found = sources.includes(`\`${first}\``) || sources.includes(`\`${first}$\{`)
  firstTexts.set(first, found)
  return found
}

const checked = new Set<string>()

/** A statement that breaks a rule is a defect. A text without faults is checked once. */
export const checkStatements =
  (isChecked: (statement: Statement.Statement<unknown>) => boolean): Statement.Transformer =>
  (statement) => {
    const [text] = statement.compile()
    if (checked.has(text) || !isChecked(statement)) return Effect.succeed(statement)
    const faults = faultsOfStatement(text, tenantTables)
    if (faults.length > 0) return Effect.die(new Error(`${faults.join("\n")}\n${text}`))
    checked.add(text)
    return Effect.succeed(statement)
  }

export const checkedStatements = Layer.succeed(Statement.CurrentTransformer, checkStatements(isOfStores))
