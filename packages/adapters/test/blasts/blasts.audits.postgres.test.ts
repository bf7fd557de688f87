// The findings of a blast audit on PostgreSQL: wrong rows of each kind, written by the database's owner.
import { PgClient } from "@effect/sql-pg"
import { recount } from "@tentpole/adapters/test/Recount"
import { audit } from "@tentpole/core/blasts/inspection/BlastAudit"
import { BlastAuditStore } from "@tentpole/core/blasts/inspection/BlastAuditStore"
import { mailedBlast } from "@tentpole/core/contract"
import type { BlastId } from "@tentpole/core/kernel/Ids"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { ownPostgres } from "../fixtures/Stores.ts"

/** The row concerned: `sent`, the first recipient, or `other`, the second. */
interface Planted {
  readonly statements: (whose: {
    readonly blast: BlastId
    readonly sent: string
    readonly other: string
  }) => ReadonlyArray<string>
  /** The checks that fail. */
  readonly wrong: ReadonlyArray<string>
  /** Whose id is a sample of the first failed check. */
  readonly named: "sent" | "other" | null
}

const counters_wrong = "the counters equal a recount"

const plants: { readonly [What in string]: Planted } = {
  "a counter that says too many": {
    statements: ({ blast }) => [
      `update delivery_tally set sent = sent + 1 where ctid = (select ctid from delivery_tally where blast_id = '${blast}' limit 1)`,
    ],
    wrong: [counters_wrong],
    named: null,
  },
  "a recipient who is lost": {
    statements: ({ blast }) => [`update blast set recipient_count = recipient_count + 1 where blast_id = '${blast}'`],
    wrong: ["the recipient counts add up"],
    named: null,
  },
  "a second delivery of a contact": {
    statements: ({ sent }) => [
      `insert into delivery (workspace_id, delivery_id, blast_id, contact_id, approval_id, email, email_normalized, operational,
         state, reason, failed_at, created_at)
       select workspace_id, gen_random_uuid(), blast_id, contact_id, approval_id, 'x' || email, 'x' || email_normalized,
         operational, 'failed', 'refused', now(), created_at
       from delivery where delivery_id = '${sent}'`,
    ],
    wrong: ["the recipient counts add up", "a contact has one delivery"],
    named: null,
  },
  "a second delivery to an address": {
    statements: ({ other, sent }) => [
      `do $$ declare guard regclass; begin
         for guard in select indexrelid from pg_index where indisunique and pg_get_indexdef(indexrelid) like '%email_normalized%'
           and indrelid in (select inhrelid from pg_inherits where inhparent = 'delivery'::regclass)
         loop execute format('drop index %s', guard); end loop; end $$`,
      `update delivery set email_normalized = (select email_normalized from delivery where delivery_id = '${sent}')
       where delivery_id = '${other}'`,
    ],
    wrong: ["an address has one delivery"],
    named: "other",
  },
  "a message without an intent": {
    statements: ({ sent }) => [`update delivery set handed_over_at = null where delivery_id = '${sent}'`],
    wrong: ["a sent message had an intent first"],
    named: "sent",
  },
  "a message without a reply": {
    statements: ({ sent }) => [
      `update delivery set smtp_reply = null, delivered_at = null where delivery_id = '${sent}'`,
    ],
    wrong: ["a sent message was accepted by the mail server"],
    named: "sent",
  },
  "a message with two events": {
    statements: ({ other }) => [
      `insert into outbox_event (workspace_id, position, type, contact_id, at, data)
       select workspace_id, position + 1000000, type, contact_id, at, data from outbox_event
       where type = 'email_sent' and data ->> 'recipient_id' = '${other}'`,
    ],
    wrong: ["events contain each message once"],
    named: "other",
  },
  "an open delivery of a sent blast": {
    statements: ({ blast, sent }) => [
      `update delivery set state = 'queued', token = null, delivered_at = null where delivery_id = '${sent}'`,
      `update blast set status = 'sent', sent_at = now() where blast_id = '${blast}'`,
    ],
    wrong: ["events contain each message once", "no recipient is open once the blast is sent"],
    named: "sent",
  },
}

layer(ownPostgres, { excludeTestServices: true })("an audit on PostgreSQL", (it) => {
  for (const [what, { named, statements, wrong }] of Object.entries(plants)) {
    it.effect(`finds ${what}`, () =>
      Effect.gen(function* () {
        const { id: blast, store, workspace } = yield* mailedBlast
        const audits = yield* BlastAuditStore
        const query = {
          category: "sent",
          domain: null,
          reason: null,
          link: null,
          page: 1,
          limit: 10,
          search: "",
          sort: "created_at",
          order: "asc",
        } as const
        const [sent = "", other = ""] = (yield* store.recipients(workspace, blast, query)).items
          .map(({ id }) => id)
          .sort()
        const [database] = yield* (yield* PgClient.PgClient)<{
          readonly name: string
        }>`select current_database() as name`
        const owner = PgClient.layer({
          url: Redacted.make(`${inject("pgServer")}/${database?.name}`),
          maxConnections: 1,
        })
        yield* Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          for (const statement of statements({ blast, sent, other })) yield* sql.unsafe(statement)
          if (!wrong.includes(counters_wrong)) yield* sql.unsafe(recount, [workspace])
        }).pipe(Effect.provide(owner))
        const { holds, lines } = audit(yield* audits.evidence(workspace, blast))
        const broken = lines.filter((line) => !line.holds)
        assert.deepStrictEqual(
          broken.map(({ check }) => check),
          wrong,
        )
        assert.isFalse(holds)
        if (named !== null)
          assert.deepStrictEqual<ReadonlyArray<string> | undefined>(broken[0]?.deliveries, [
            named === "sent" ? sent : other,
          ])
      }),
    )
  }
})
