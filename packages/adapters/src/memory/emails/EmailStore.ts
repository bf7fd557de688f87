// Emails in memory.
import type { ApprovedEmail } from "@tentpole/core/rendering/ApprovedEmail"
import { statusOf } from "@tentpole/core/documents/Approval"
import type { Email } from "@tentpole/core/emails/Email"
import { EmailChange } from "@tentpole/core/emails/EmailChange"
import { email_users_max, type EmailUser } from "@tentpole/core/emails/EmailErrors"
import { type EmailQuery, EmailStore } from "@tentpole/core/emails/EmailStore"
import type { EmailId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { byCodePoint, fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/Transactor"
import { Effect, Layer } from "effect"
import { contactFields } from "../contacts/ContactFieldStore.ts"
import { blasts } from "../sending/DeliveryTables.ts"
import { activeFlowsUsing, flowEmails } from "../flows/FlowTables.ts"
import { findGeneration, forgetGenerations, latestGenerations, writeGeneration } from "../documents/Generations.ts"
import { MemoryDatabase, type Rows, table } from "../kernel/MemoryDatabase.ts"
import { forgetTestMails } from "../sending/TestMailStore.ts"
import { sendingDomains } from "../workspaces/WorkspaceStore.ts"

export const emails = table<Email>("email")
/** HTML, by `<email id>.<version>`. */
export const emailVersions = table<string>("email_version")
export const emailApprovals = table<ApprovedEmail>("email_approval")
/** HTML of the template that an email without a version begins with, by the email's id. */
const bases = table<string>("email_basis")

export const versionKey = (id: EmailId, version: number): string => `${id}.${version}`

const found = <Row>(row: Row | undefined, resource: string): Effect.Effect<Row, NotFound> =>
  row === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(row)

/** Writes a change in the caller's transaction; other rooms' changes may carry one. */
export const applyEmail = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: EmailChange) {
  yield* Transaction
  if (!EmailChange.is(change)) return yield* Effect.die("an email can only be written by an EmailChange")
  const { before, after, html, approved, generation, basis, credits_taken } = change
  const id = (after ?? before)?.id ?? (yield* Effect.die("a change is of something"))
  const row = yield* db.find(emails, workspace, id)
  if (row?.currentVersion !== before?.currentVersion || row?.approval?.id !== before?.approval?.id) {
    return yield* Effect.die("the email is not what the change was decided on: lock it first")
  }
  if (after === null) return yield* removeEmail(db, workspace, row, credits_taken)
  yield* db.put(emails, workspace, id, after)
  if (basis !== null) yield* db.put(bases, workspace, id, basis)
  if (after.currentVersion > 0) yield* db.remove(bases, workspace, id)
  if (html !== null) yield* db.put(emailVersions, workspace, versionKey(id, after.currentVersion), html)
  if (approved !== null) yield* db.put(emailApprovals, workspace, approved.approvalId, approved)
  if (generation !== null) yield* writeGeneration(db, workspace, id, generation)
})

export const removeEmail = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  row: Email | undefined,
  credits_taken: number,
) {
  if (row === undefined) return yield* Effect.die("an email that is removed is there")
  yield* forgetGenerations(db, workspace, row.id, credits_taken)
  yield* forgetTestMails(db, workspace, row.id)
  for (let version = 1; version <= row.currentVersion; version++) {
    yield* db.remove(emailVersions, workspace, versionKey(row.id, version))
  }
  yield* db.remove(bases, workspace, row.id)
  yield* db.remove(flowEmails, workspace, row.id)
  yield* db.remove(emails, workspace, row.id)
})

/** Every room that sends emails has its users here. */
export const usesOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: EmailId) {
  const sent = (yield* db.all(blasts, workspace)).filter(
    ({ email, status }) => email?.emailId === id && (status === "scheduled" || status === "sending"),
  )
  const made = yield* db.find(flowEmails, workspace, id)
  const flows = yield* activeFlowsUsing(
    db,
    workspace,
    ({ emails: used }, flow) => used.includes(id) || made?.flowId === flow.id,
  )
  const named = <Type extends EmailUser["type"]>(type: Type, all: ReadonlyArray<Pick<EmailUser, "id" | "name">>) =>
    all
      .map((user) => ({ type, id: user.id, name: user.name }))
      .sort((left, right) => byCodePoint(fold(left.name), fold(right.name)) || byCodePoint(left.id, right.id))
  const users = [...named("blast", sent), ...named("flow", flows)]
  return { users: users.slice(0, email_users_max), count: users.length }
})

const matches = (email: Email, { status, search, after }: EmailQuery): boolean => {
  const at = email.createdAt.epochMilliseconds
  return (
    (status === null || statusOf(email) === status) &&
    (search === null || fold(email.name).includes(fold(search))) &&
    (after === null || at < after.at || (at === after.at && email.id > after.id))
  )
}

const newestFirst = (left: Email, right: Email): number =>
  right.createdAt.epochMilliseconds - left.createdAt.epochMilliseconds || (left.id < right.id ? -1 : 1)

export const layer = Layer.effect(
  EmailStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const find = (workspace: WorkspaceId, id: EmailId) =>
      Effect.flatMap(db.find(emails, workspace, id), (row) => found(row, "email"))
    const current = Effect.fnUntraced(function* (workspace: WorkspaceId, id: EmailId) {
      const email = yield* find(workspace, id)
      const html = yield* db.find(emailVersions, workspace, versionKey(id, email.currentVersion))
      return { email, html: html ?? null }
    })

    return EmailStore.of({
      find,
      current,
      lock: Effect.fnUntraced(function* (workspace, id) {
        yield* Transaction
        const latest = yield* latestGenerations(db, workspace, [id])
        return { ...(yield* current(workspace, id)), generation: latest.get(id) ?? null }
      }),
      generation: (workspace, id, of) => findGeneration(db, workspace, id, of),
      basis: Effect.fnUntraced(function* (workspace, id) {
        const { html } = yield* current(workspace, id)
        return html ?? (yield* db.find(bases, workspace, id)) ?? null
      }),
      html: (workspace, id, version) =>
        Effect.flatMap(db.find(emailVersions, workspace, versionKey(id, version)), (html) =>
          found(html, "email version"),
        ),
      page: (workspace, query) =>
        Effect.map(db.all(emails, workspace), (rows) => {
          const all = rows.filter((row) => matches(row, query)).sort(newestFirst)
          const items = all.slice(0, query.limit)
          const last = items.at(-1)
          const next =
            all.length <= query.limit || last === undefined
              ? null
              : { at: last.createdAt.epochMilliseconds, id: last.id }
          return { items, next }
        }),
      facts: Effect.fnUntraced(function* (workspace) {
        const domains = yield* db.all(sendingDomains, workspace)
        const fields = yield* db.all(contactFields, workspace)
        return {
          verifiedDomains: domains
            .filter(({ status }) => status === "verified")
            .map(({ domain }) => domain)
            .sort(byCodePoint),
          customFields: fields
            .filter(({ status }) => status === "active")
            .map(({ apiName }) => apiName)
            .sort(byCodePoint),
        }
      }),
      uses: (workspace, id) => usesOf(db, workspace, id),
      apply: (workspace, change) => applyEmail(db, workspace, change),
      approval: (workspace, id) =>
        Effect.flatMap(db.find(emailApprovals, workspace, id), (row) => found(row, "approved email")),
    })
  }),
)
