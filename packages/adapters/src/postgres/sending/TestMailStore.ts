// `TestMailStore` on PostgreSQL: test messages that wait to be sent.
import { PgClient } from "@effect/sql-pg"
import { type TestMail, TestMailStore } from "@tentpole/core/sending/TestMailStore"
import { ContactId, EmailId, TestMailId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Array, Effect, Layer } from "effect"
import { fenced } from "../kernel/Postgres.ts"

interface TestMailRow {
  readonly test_mail_id: string
  readonly email_id: string
  readonly version: number
  readonly contact_id: string | null
  readonly address: string
  readonly address_normalized: string
}

const toTestMail = (row: TestMailRow): TestMail => ({
  id: TestMailId.make(row.test_mail_id),
  emailId: EmailId.make(row.email_id),
  version: row.version,
  contactId: row.contact_id === null ? null : ContactId.make(row.contact_id),
  address: row.address,
  addressNormalized: row.address_normalized,
})

const rowOf = (workspace: WorkspaceId, mail: TestMail) => ({
  workspace_id: workspace,
  test_mail_id: mail.id,
  email_id: mail.emailId,
  version: mail.version,
  contact_id: mail.contactId,
  address: mail.address,
  address_normalized: mail.addressNormalized,
})

export const layer = Layer.effect(
  TestMailStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)
    return TestMailStore.of({
      add: Effect.fnUntraced(function* (workspace, mails) {
        yield* Transaction
        const rows = mails.map((mail) => rowOf(workspace, mail))
        if (Array.isArrayNonEmpty(rows)) yield* within(workspace, sql`insert into test_mail ${sql.insert(rows)}`)
      }),
      waiting: (workspace, id) =>
        Effect.flatMap(
          within(
            workspace,
            sql<TestMailRow>`
              select test_mail_id, email_id, version, contact_id, address, address_normalized from test_mail
              where workspace_id = ${workspace} and test_mail_id = ${id} and not handed_over`,
          ),
          ([row]) =>
            row === undefined
              ? Effect.fail(new NotFound({ resource: "test message" }))
              : Effect.succeed(toTestMail(row)),
        ),
      handOver: (workspace, id) =>
        Transaction.pipe(
          Effect.andThen(
            within(
              workspace,
              sql`
                update test_mail m set handed_over = true
                where m.workspace_id = ${workspace} and m.test_mail_id = ${id} and not m.handed_over
                  and not exists (
                    select from suppression s
                    where s.workspace_id = ${workspace} and s.email_normalized = m.address_normalized
                      and s.reason <> 'unsubscribe')
                returning 1`,
            ),
          ),
          Effect.map((rows) => rows.length === 1),
        ),
      release: (workspace, id) =>
        Transaction.pipe(
          Effect.andThen(
            within(
              workspace,
              sql`
                update test_mail set handed_over = false
                where workspace_id = ${workspace} and test_mail_id = ${id}`,
            ),
          ),
          Effect.asVoid,
        ),
      delete: (workspace, id) =>
        Transaction.pipe(
          Effect.andThen(
            within(workspace, sql`delete from test_mail where workspace_id = ${workspace} and test_mail_id = ${id}`),
          ),
          Effect.asVoid,
        ),
    })
  }),
)
