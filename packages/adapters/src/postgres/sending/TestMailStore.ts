// `TestMailStore` on PostgreSQL: test messages that wait to be sent.
import { PgClient } from "@effect/sql-pg"
import { type TestMail, TestMailStore } from "@tentpole/core/sending/TestMailStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Array, Effect, Layer } from "effect"
import { fencedWrites, Reads } from "../kernel/Postgres.ts"

const columns = `test_mail_id as id, email_id as "emailId", version, contact_id as "contactId", address,
  address_normalized as "addressNormalized"`

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
    const { within } = yield* Reads
    const write = fencedWrites(sql)
    return TestMailStore.of({
      add: Effect.fnUntraced(function* (workspace, mails) {
        const rows = mails.map((mail) => rowOf(workspace, mail))
        if (Array.isArrayNonEmpty(rows)) yield* write(workspace, sql`insert into test_mail ${sql.insert(rows)}`)
      }),
      waiting: (workspace, id) =>
        Effect.flatMap(
          within(
            workspace,
            sql<TestMail>`
              select ${sql.literal(columns)} from test_mail
              where workspace_id = ${workspace} and test_mail_id = ${id} and not handed_over`,
          ),
          ([mail]) =>
            mail === undefined ? Effect.fail(new NotFound({ resource: "test message" })) : Effect.succeed(mail),
        ),
      handOver: (workspace, id) =>
        Effect.map(
          write(
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
          (rows) => rows.length === 1,
        ),
      release: (workspace, id) =>
        Effect.asVoid(
          write(
            workspace,
            sql`
              update test_mail set handed_over = false
              where workspace_id = ${workspace} and test_mail_id = ${id}`,
          ),
        ),
      delete: (workspace, id) =>
        Effect.asVoid(
          write(workspace, sql`delete from test_mail where workspace_id = ${workspace} and test_mail_id = ${id}`),
        ),
    })
  }),
)
