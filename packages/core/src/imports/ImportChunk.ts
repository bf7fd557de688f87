// A chunk of an import: the next rows of the file, decided together, and everything that one transaction writes for them.
import { DateTime } from "effect"
import { isStronger, type Suppression, type SuppressionReason } from "../sending/Suppression.ts"
import { type BatchFacts, decideUpserts, type Identities, identitiesOf } from "../contacts/batch/Batch.ts"
import type { Contact } from "../contacts/Contact.ts"
import { ContactsChange, type ContactStep } from "../contacts/ContactsChange.ts"
import { patchContact, type SkipIfFilled } from "../contacts/ContactPatch.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import { ChoicesChange } from "../topics/ChoicesChange.ts"
import type { ContactId, ImportRunId, ListId } from "../kernel/Ids.ts"
import type { ImportRun, RowCounts, RowResult } from "./Import.ts"
import { ChunkConsent, type ConsentFacts } from "./ChunkConsent.ts"
import type { WaitingConfirmation } from "./confirmations/WaitingConfirmation.ts"
import { issueOf, pathOf, type ReadRow, rowIssues, sanitizeCell } from "./Rows.ts"
import type { ReadSuppression } from "./SuppressionRows.ts"
import type { Row } from "./Table.ts"

export interface ChunkRow {
  readonly row: Row
  readonly read: ReadRow | ReadSuppression
}

export interface ChunkFacts extends BatchFacts, ConsentFacts {
  /** The suppressions of the rows' addresses, locked. None for contacts. */
  readonly suppressions: ReadonlyArray<Suppression>
}

/** The identities in the rows, to lock before the decision. */
export const chunkIdentities = (rows: ReadonlyArray<ChunkRow>): Identities => {
  const { emails, phones } = identitiesOf(rows.flatMap(({ read }) => (read._tag === "item" ? [read.item] : [])))
  const suppressed = rows.flatMap(({ read }) => (read._tag === "suppression" ? [read.email] : []))
  return { emails: [...new Set([...emails, ...suppressed])], phones }
}

export type ImportChunkChange = Change<
  "import chunk",
  {
    readonly runId: ImportRunId
    /** The number of processed rows at the decision. The chunk is written only if it is still the same. */
    readonly processedBefore: number
    readonly processedAfter: number
    readonly contacts: ContactsChange
    /** What the contacts chose. `ConsentStore` writes it, after the chunk, in the same transaction. */
    readonly choices: ChoicesChange
    /** Contacts that have to confirm. `ConfirmationQueue` writes them in the same transaction. */
    readonly waiting: ReadonlyArray<WaitingConfirmation>
    /** To write unless a stronger one is stored. */
    readonly suppressions: ReadonlyArray<Suppression>
    /** Every imported contact becomes a member of each of these lists. */
    readonly members: { readonly listIds: ReadonlyArray<ListId>; readonly contactIds: ReadonlyArray<ContactId> }
    readonly results: ReadonlyArray<RowResult>
    /** What the chunk adds to the run's counters. */
    readonly counts: RowCounts
    readonly at: DateTime.Utc
  }
>

const chunkChange = changeOf("import chunk")

export const ImportChunkChange = {
  /**
   * Decides the rows after the run's processed ones, as if one after another: a row that repeats an earlier one is merged
   * into it.
   *
   * @throws when the rows do not follow the processed ones, which is a bug.
   */
  decide(
    run: ImportRun,
    headers: ReadonlyArray<string>,
    rows: ReadonlyArray<ChunkRow>,
    facts: ChunkFacts,
  ): ImportChunkChange {
    for (const [index, { row }] of rows.entries()) {
      // The header is row 1.
      if (row.rowNumber !== run.processedRows + index + 2)
        throw new Error("a chunk must begin where the processed rows end")
    }
    const { results, ...decision } =
      run.as === "suppressions" ? decideSuppressions(rows, facts) : decideContacts(run, headers, rows, facts)
    const count = (status: RowResult["status"]) => results.filter((result) => result.status === status).length
    return chunkChange({
      runId: run.id,
      processedBefore: run.processedRows,
      processedAfter: run.processedRows + rows.length,
      ...decision,
      members: {
        listIds: run.listIds,
        contactIds: [...new Set(results.flatMap(({ contactId }) => (contactId === null ? [] : [contactId])))],
      },
      results,
      counts: {
        created: count("created"),
        updated: count("updated"),
        skipped: count("skipped"),
        failed: count("failed"),
        warned: results.filter(({ status, issues }) => isImported(status) && issues.length > 0).length,
      },
      at: facts.now,
    })
  },
}

type ChunkDecision = Pick<ImportChunkChange, "contacts" | "choices" | "waiting" | "suppressions" | "results">

const decideContacts = (
  run: ImportRun,
  headers: ReadonlyArray<string>,
  rows: ReadonlyArray<ChunkRow>,
  facts: ChunkFacts,
): ChunkDecision => {
  const items = rows.flatMap(({ read }) => (read._tag === "item" ? [read.item] : []))
  const decision = decideUpserts(items, facts, {
    source: "import",
    match: "email_or_phone",
    splitIdentity: "reject",
    duplicates: run.duplicateStrategy,
    skipIfFilled: skipIfFilled(run),
    createsUnconfirmed: run.consent?.doubleOptIn ?? false,
  })
  const decided = decision.results[Symbol.iterator]()
  const consent = new ChunkConsent(run, facts)
  const results = rows.map(({ row, read }): RowResult => {
    if (read._tag === "suppression") throw new Error("a row of a contact must not be read as a suppression")
    if (read._tag !== "item") return resultOf(row, read._tag, { issues: read.issues })
    const next = decided.next()
    if (next.done === true) throw new Error("a decision must have a result for each of its items")
    const result = next.value
    if (result.status === "rejected") {
      const issues = rowIssues(result.refusal.issues, row, { headers, mappings: run.mappings })
      return resultOf(row, "failed", { issues })
    }
    const { contact, status } = result
    const issues = status === "skipped" ? [] : [...read.warnings, ...consent.record(contact, read.consent)]
    return resultOf(row, status, { contactId: contact.id, issues })
  })
  const choices = ChoicesChange.of(consent.steps, facts.recordIds)
  return { contacts: decision.change, choices, waiting: consent.waiting, suppressions: [], results }
}

/**
 * Suppresses the addresses, and changes the contacts that have them as a bounce, complaint or unsubscription does that the
 * service itself receives. A row that repeats an address is decided on the result of the earlier one.
 */
const decideSuppressions = (rows: ReadonlyArray<ChunkRow>, facts: ChunkFacts): ChunkDecision => {
  const reasons = new Map(facts.suppressions.map(({ email, reason }) => [email, reason]))
  const contacts = new Map(facts.existing.map((contact) => [contact.emailNormalized, contact]))
  const [suppressions, steps] = [new Map<string, Suppression>(), new Array<ContactStep>()]
  const results = rows.map(({ row, read }): RowResult => {
    if (read._tag === "item") throw new Error("a row of a suppression must not be read as a contact")
    if (read._tag !== "suppression") return resultOf(row, read._tag, { issues: read.issues })
    const { email, reason } = read
    const existing = reasons.get(email) ?? null
    const before = contacts.get(email)
    const after = before && suppressedContact(before, reason, facts.now)
    const contactId = before?.id ?? null
    if (before !== undefined && after !== undefined && after !== before) {
      steps.push({ before, after, at: facts.now })
      contacts.set(email, after)
    }
    if (isStronger(reason, existing)) {
      reasons.set(email, reason)
      suppressions.set(email, { email, reason, createdAt: facts.now })
      return resultOf(row, existing === null ? "created" : "updated", { contactId })
    }
    if (after !== before) return resultOf(row, "updated", { contactId })
    const message = `The address is suppressed already, with the reason ${existing}`
    return resultOf(row, "skipped", { contactId, issues: [issueOf("already_suppressed", message)] })
  })
  return {
    contacts: ContactsChange.of(steps),
    choices: ChoicesChange.of([], []),
    waiting: [],
    suppressions: [...suppressions.values()],
    results,
  }
}

/** The same object when nothing changes. */
const suppressedContact = (before: Contact, reason: SuppressionReason, now: DateTime.Utc): Contact => {
  switch (reason) {
    case "unsubscribe":
    case "complaint":
      return patchContact(before, { unsubscribed: true }, now)
    case "bounce":
      return before.marketingEmailInvalid
        ? before
        : { ...before, marketingEmailInvalid: true, updatedAt: DateTime.max(before.updatedAt, now) }
    case "manual":
      return before
  }
}

const skipIfFilled = (run: ImportRun): SkipIfFilled =>
  run.overwriteBlankOnly
    ? "all"
    : new Set(run.mappings.filter((each) => each.overwriteBehavior === "skip_if_filled").map(pathOf))

const resultOf = (
  row: Row,
  status: RowResult["status"],
  known: Partial<Pick<RowResult, "contactId" | "issues">>,
): RowResult => ({
  rowNumber: row.rowNumber,
  line: row.line,
  status,
  contactId: null,
  issues: [],
  ...known,
  record: isImported(status) && !known.issues?.length ? null : row.cells.map(sanitizeCell),
})

const isImported = (status: RowResult["status"]): boolean => status === "created" || status === "updated"
