// Conversion of a row of another tool's export to a suppression: its address, and the reason that its columns give.
import { Result } from "effect"
import { readBoolean } from "../contacts/values/FieldValue.ts"
import { withoutFormulaGuard } from "../kernel/Csv.ts"
import { trim } from "../kernel/Text.ts"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import { isStronger, type SuppressionReason } from "../sending/Suppression.ts"
import type { Mapping, RowIssue, RowIssueCode } from "./Import.ts"
import { headerKey, headerSynonyms } from "./mapping/HeaderSynonyms.ts"
import { issueOf, wrongColumnCount } from "./Rows.ts"
import { ownColumns, type Row } from "./Table.ts"

/** How the cells of a column give a reason: by being filled, by saying yes, or by their words. */
type ReasonColumn =
  | { readonly by: "filled" | "flag"; readonly reason: SuppressionReason }
  | { readonly by: "word"; readonly mayBeEmpty: boolean }

const keyed = <A>(names: ReadonlyArray<string>, value: A): ReadonlyArray<readonly [string, A]> =>
  names.map((name) => [headerKey(name), value])

/** By `headerKey`. The columns of Mailchimp, listmonk, HubSpot, Klaviyo, SendGrid and SES. */
const reasonColumns: ReadonlyMap<string, ReasonColumn> = new Map([
  ...keyed<ReasonColumn>(["UNSUB_TIME", "Unsubscribed At", "Unsubscribe Date"], {
    by: "filled",
    reason: "unsubscribe",
  }),
  ...keyed<ReasonColumn>(["CLEAN_TIME", "Email hard bounce reason", "Bounced At"], { by: "filled", reason: "bounce" }),
  ...keyed<ReasonColumn>(["Unsubscribed", "Portal Unsubscribe", ...(headerSynonyms["unsubscribed"] ?? [])], {
    by: "flag",
    reason: "unsubscribe",
  }),
  ...keyed<ReasonColumn>(["Portal Bounce", "Global Bounce", "Invalid email address", "marketing_email_invalid"], {
    by: "flag",
    reason: "bounce",
  }),
  ...keyed<ReasonColumn>(["Portal Spam Report"], { by: "flag", reason: "complaint" }),
  ...keyed<ReasonColumn>(
    ["Status", "Email Status", "Subscriber Status", "Subscription Status", "Email Suppressions", "Suppressed"],
    { by: "word", mayBeEmpty: false },
  ),
  ...keyed<ReasonColumn>(["Reason", "Suppression Reason"], { by: "word", mayBeEmpty: true }),
])

/** What the words of other tools mean, by `headerKey`. Null: the address gets mail. */
const words: ReadonlyMap<string, SuppressionReason | null> = new Map([
  ...keyed(["unsubscribe", "unsubscribed", "opt out", "opted out", "disabled"], "unsubscribe" as const),
  ...keyed(["bounce", "bounced", "hard bounce", "hard bounced", "cleaned"], "bounce" as const),
  ...keyed(["invalid", "invalid email", "undeliverable"], "bounce" as const),
  ...keyed(["complaint", "complained", "spam", "spam complaint", "spam report", "abuse"], "complaint" as const),
  ...keyed(["manual", "blocklisted", "blacklisted", "blocked", "suppressed", "user suppressed"], "manual" as const),
  ...keyed(["subscribed", "enabled", "active", "confirmed", "pending", "unconfirmed", "never subscribed"], null),
  ...keyed(["non-subscribed", "transactional", "soft bounce", "none"], null),
])

interface PlacedColumn {
  readonly header: string
  readonly place: number
  readonly column: ReasonColumn
}

/** The columns that say why an address is suppressed. Those that an export of rejected rows added are not among them. */
export const reasonColumnsOf = (headers: ReadonlyArray<string>): ReadonlyArray<PlacedColumn> =>
  ownColumns(headers).flatMap((header, place) => {
    const column = reasonColumns.get(headerKey(header))
    return column === undefined ? [] : [{ header, place, column }]
  })

/** Longer cells are sentences, such as the reply of a mail server. */
const word_length_max = 100

/** The strongest of the reasons in a cell such as `HARD_BOUNCE, UNSUBSCRIBED`. */
const saidInWords = (cell: string): SuppressionReason | null | undefined =>
  cell.length > word_length_max
    ? undefined
    : cell
        .split(/[,;|]/)
        .map((word) => words.get(headerKey(word)))
        .reduce((strongest, says) => (says && isStronger(says, strongest ?? null) ? says : (strongest ?? says)))

/** What a cell says: a reason, null if the address gets mail, or undefined if it says nothing that is known. */
const saidBy = (column: ReasonColumn, cell: string): SuppressionReason | null | undefined => {
  if (cell === "") return column.by === "word" && column.mayBeEmpty ? undefined : null
  if (column.by === "filled") return column.reason
  if (column.by === "word") return saidInWords(cell)
  const flag = readBoolean(cell, "text")
  return Result.isFailure(flag) ? undefined : flag.success === true ? column.reason : null
}

export interface SuppressionReading {
  readonly headers: ReadonlyArray<string>
  readonly mappings: ReadonlyArray<Mapping>
  /** The reason of rows whose columns say none. */
  readonly suppressionReason: SuppressionReason | null
  /** Whether cells may have the `'` that exports put before formulas. */
  readonly formulaGuarded: boolean
}

/** A normalized address with its reason, or the outcome of a row that has none. */
export type ReadSuppression =
  | { readonly _tag: "suppression"; readonly email: string; readonly reason: SuppressionReason }
  | { readonly _tag: "skipped" | "failed"; readonly issues: ReadonlyArray<RowIssue> }

export const suppressionReader = (reading: SuppressionReading): ((row: Row) => ReadSuppression) => {
  const address = reading.mappings.find(({ targetField }) => targetField === "email")
  const place = reading.headers.indexOf(address?.header ?? "")
  const columns = reasonColumnsOf(reading.headers)
  const expected = reading.headers.length
  const own_count = ownColumns(reading.headers).length
  const clean = (cell = ""): string => trim(reading.formulaGuarded ? withoutFormulaGuard(cell) : cell)

  const reasonOf = (cells: Row["cells"]): SuppressionReason | RowIssue => {
    const said = columns.map((each) => ({ ...each, says: saidBy(each.column, clean(cells[each.place])) }))
    const reason = said.reduce<SuppressionReason | null>(
      (strongest, { says }) => (says && isStronger(says, strongest) ? says : strongest),
      null,
    )
    if (reason !== null) return reason
    const mailed = said.find(({ says }) => says === null)
    if (mailed !== undefined) return issueAt("not_suppressed", notSuppressed, mailed, cells)
    return reading.suppressionReason ?? issueAt("unknown_reason", unknownReason, said[0], cells)
  }

  return ({ cells }) => {
    const own = cells.length === expected ? cells.slice(0, own_count) : cells
    if (own.every((cell) => clean(cell) === ""))
      return { _tag: "skipped", issues: [issueOf("empty_row", "The row is empty")] }
    if (cells.length !== expected) return { _tag: "failed", issues: [wrongColumnCount(cells.length, expected)] }
    const reason = reasonOf(cells)
    if (typeof reason !== "string")
      return { _tag: reason.code === "not_suppressed" ? "skipped" : "failed", issues: [reason] }
    const written = clean(cells[place])
    if (written === "")
      return { _tag: "failed", issues: [issueOf("missing_identity", "The row has no email address", address)] }
    const email = parseEmail(written)
    return email === null
      ? {
          _tag: "failed",
          issues: [issueOf("invalid_email", "must be an email address, such as ann@example.com", address, written)],
        }
      : { _tag: "suppression", email: email.normalized, reason }
  }
}

const issueAt = (
  code: RowIssueCode,
  message: string,
  column: PlacedColumn | undefined,
  cells: Row["cells"],
): RowIssue =>
  issueOf(code, message, column && { header: column.header, targetField: null }, column && cells[column.place])

const notSuppressed = "does not say that the address is suppressed"
const unknownReason =
  "does not say why the address is suppressed. Give a reason: unsubscribe, bounce, complaint or manual"
