// How deliveries come about in tests of sending: rows of other rooms, written straight into either store.
import { PgClient } from "@effect/sql-pg"
import { activities, contacts } from "@tentpole/adapters/memory/ContactTables"
import { lanes } from "@tentpole/adapters/memory/DeliveryClaim"
import { blasts, deliveries, suppressions } from "@tentpole/adapters/memory/DeliveryTables"
import { MemoryDatabase } from "@tentpole/adapters/memory/MemoryDatabase"
import { listMembers, lists } from "@tentpole/adapters/memory/Segment"
import { fenced } from "@tentpole/adapters/postgres/Postgres"
import type { BounceKind } from "@tentpole/core/bounces/EnhancedCode"
import type { SendingBlast } from "@tentpole/core/blasts/Blast"
import { blankContact } from "@tentpole/core/contacts/Contact"
import { DeliveryScenario, type WrittenDelivery } from "@tentpole/core/contract"
import { DeliveryId, ApprovalId, BlastId, ContactId, EmailId, Ids, ListId } from "@tentpole/core/Ids"
import type { DeliveryTally, DeliveryState } from "@tentpole/core/deliveries/Delivery"
import type { SuppressionReason } from "@tentpole/core/deliveries/Suppression"
import { domainToASCII } from "node:url"
import { DateTime, Effect, Layer } from "effect"

const epoch = DateTime.makeUnsafe(1_600_000_000_000)
const iso = DateTime.formatIso(epoch)

/** As the contacts' room has it, near enough for addresses of tests. */
const normalized = (email: string): string => {
  const at = email.lastIndexOf("@")
  return `${email.slice(0, at).toLowerCase()}@${domainToASCII(email.slice(at + 1))}`
}

const instant = (date: Date | null) => (date === null ? null : DateTime.makeUnsafe(date))

export const postgresScenario = Layer.effect(
  DeliveryScenario,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const ids = yield* Ids
    const within = fenced(sql)
    return DeliveryScenario.of({
      blast: (workspace, people, options = {}) =>
        Effect.gen(function* () {
          const [list = "", blast = "", email = "", approval = "", ...names] = yield* ids.many(4 + people.length)
          const audience = options.again ?? people.map((_, at) => ContactId.make(names[at] ?? ""))
          yield* within(
            workspace,
            Effect.gen(function* () {
              yield* sql`insert into list (workspace_id, list_id, kind, name, name_folded, slug, member_count, created_at, updated_at)
                values (${workspace}, ${list}, 'static', ${list}, ${list}, ${list}, 0, ${iso}, ${iso})`
              for (const [at, person] of people.entries()) {
                const id = audience[at] ?? ""
                yield* sql`insert into contact (workspace_id, contact_id, email, email_normalized, phone, unsubscribed,
                    marketing_email_subscribed, marketing_email_invalid, created_at, updated_at)
                  values (${workspace}, ${id}, ${person.email}, ${person.email === null ? null : normalized(person.email)},
                    ${person.email === null ? `+1${String(Math.trunc(Math.random() * 1e10)).padStart(10, "0")}` : null}, ${person.unsubscribed ?? false},
                    ${person.marketingEmailSubscribed ?? null}, ${person.marketingEmailInvalid ?? false}, ${iso}, ${iso})
                  on conflict do nothing`
                yield* sql`insert into list_member (workspace_id, list_id, contact_id, added_at) values (${workspace}, ${list}, ${id}, ${iso})`
                if (person.suppression !== undefined && person.email !== null) {
                  yield* sql`insert into suppression (workspace_id, email_normalized, reason, created_at)
                    values (${workspace}, ${normalized(person.email)}, ${person.suppression}, ${iso})`
                }
              }
              yield* sql`insert into blast (workspace_id, blast_id, name, name_folded, status, audience_list_id, audience_source,
                  email_id, email_source, operational, send_mode, approved_at, approved_email_version, approval_id, launched_at,
                  created_at, updated_at)
                values (${workspace}, ${blast}, 'law', 'law', 'sending', ${list}, 'existing', ${email}, 'existing',
                  ${options.operational ?? false}, 'send_now', ${iso}, 1, ${approval}, ${iso}, ${iso}, ${iso})`
            }),
          )
          return { blast: BlastId.make(blast), contacts: audience }
        }).pipe(Effect.orDie),
      setBlast: (workspace, blast, to) =>
        within(
          workspace,
          sql`update blast set status = ${to === "cancelled" ? "cancelled" : "sending"}, paused = ${to === "paused"},
              cancelled_at = ${to === "cancelled" ? iso : null}
            where workspace_id = ${workspace} and blast_id = ${blast}`,
        ).pipe(Effect.asVoid, Effect.orDie),
      removeList: (workspace, blast) =>
        within(
          workspace,
          sql`delete from list using blast b where list.workspace_id = ${workspace} and b.workspace_id = ${workspace}
            and list.list_id = b.audience_list_id and b.blast_id = ${blast}`,
        ).pipe(Effect.asVoid, Effect.orDie),
      setContact: (workspace, contact, fields) =>
        within(
          workspace,
          fields === "deleted"
            ? sql`delete from contact where workspace_id = ${workspace} and contact_id = ${contact}`
            : sql`update contact set unsubscribed = coalesce(${fields.unsubscribed ?? null}, unsubscribed),
                marketing_email_subscribed = coalesce(${fields.marketingEmailSubscribed ?? null}, marketing_email_subscribed),
                marketing_email_invalid = coalesce(${fields.marketingEmailInvalid ?? null}, marketing_email_invalid)
              where workspace_id = ${workspace} and contact_id = ${contact}`,
        ).pipe(Effect.asVoid, Effect.orDie),
      suppress: (workspace, email, reason) =>
        within(
          workspace,
          sql`insert into suppression (workspace_id, email_normalized, reason, created_at)
            values (${workspace}, ${normalized(email)}, ${reason}, ${iso})`,
        ).pipe(Effect.asVoid, Effect.orDie),
      written: (workspace, blast) =>
        within(
          workspace,
          sql<{
            readonly delivery_id: string
            readonly contact_id: string
            readonly state: DeliveryState
            readonly reason: string | null
            readonly token: bigint | null
            readonly attempts: number
            readonly sent_at: Date | null
            readonly delivered_at: Date | null
            readonly opened_at: Date | null
            readonly clicked_at: Date | null
            readonly clicked_url: string | null
            readonly bounced_at: Date | null
            readonly bounce_kind: BounceKind | null
            readonly complained_at: Date | null
            readonly unsubscribed_at: Date | null
            readonly smtp_reply: string | null
          }>`select delivery_id, contact_id, state, reason, token, attempts, sent_at, delivered_at, opened_at, clicked_at,
              clicked_url, bounced_at, bounce_kind, complained_at, unsubscribed_at, smtp_reply
            from delivery where workspace_id = ${workspace} and blast_id = ${blast} order by created_at, delivery_id`,
        ).pipe(
          Effect.map((rows) =>
            rows.map((row): WrittenDelivery => ({
              id: DeliveryId.make(row.delivery_id),
              contactId: ContactId.make(row.contact_id),
              state: row.state,
              reason: row.reason,
              token: row.token === null ? null : Number(row.token),
              attempts: row.attempts,
              sentAt: instant(row.sent_at),
              deliveredAt: instant(row.delivered_at),
              openedAt: instant(row.opened_at),
              clickedAt: instant(row.clicked_at),
              clickedUrl: row.clicked_url,
              bouncedAt: instant(row.bounced_at),
              bounceKind: row.bounce_kind,
              complainedAt: instant(row.complained_at),
              unsubscribedAt: instant(row.unsubscribed_at),
              reply: row.smtp_reply,
            })),
          ),
          Effect.orDie,
        ),
      contact: (workspace, contact) =>
        within(
          workspace,
          sql<{
            readonly unsubscribed: boolean
            readonly marketing_email_invalid: boolean
            readonly last_activity_at: Date | null
            readonly timeline: ReadonlyArray<string>
          }>`select c.unsubscribed, c.marketing_email_invalid, c.last_activity_at,
              array(select type from activity a where a.workspace_id = ${workspace} and a.contact_id = ${contact}) as timeline
            from (values (1)) as asked left join contact c on c.workspace_id = ${workspace} and c.contact_id = ${contact}`,
        ).pipe(
          Effect.map(([row]) => ({
            unsubscribed: row?.unsubscribed === true,
            marketingEmailInvalid: row?.marketing_email_invalid === true,
            lastActivityAt: instant(row?.last_activity_at ?? null),
            timeline: row?.timeline ?? [],
          })),
          Effect.orDie,
        ),
      suppressionOf: (workspace, email) =>
        within(
          workspace,
          sql<{ readonly reason: SuppressionReason }>`select reason from suppression
            where workspace_id = ${workspace} and email_normalized = ${normalized(email)}`,
        ).pipe(
          Effect.map(([row]) => row?.reason ?? null),
          Effect.orDie,
        ),
      elapse: (workspace, by_ms) =>
        within(
          workspace,
          sql`with leases as (
              update delivery set lease_until = lease_until - make_interval(secs => ${by_ms / 1000})
              where workspace_id = ${workspace} and lease_until is not null)
            update delivery_lane set filled_at = filled_at - make_interval(secs => ${by_ms / 1000}),
              ready_at = ready_at - make_interval(secs => ${by_ms / 1000})
            where workspace_id = ${workspace}`,
        ).pipe(Effect.asVoid, Effect.orDie),
      tally: (workspace, blast) =>
        within(
          workspace,
          sql<DeliveryTally>`select sum(queued)::int as queued, sum(sent)::int as sent, sum(failed)::int as failed,
              sum(blocked)::int as blocked, sum(delivered)::int as delivered, sum(opened)::int as opened,
              sum(clicked)::int as clicked, sum(bounced)::int as bounced, sum(complained)::int as complained,
              sum(unsubscribed)::int as unsubscribed
            from delivery_tally where workspace_id = ${workspace} and blast_id = ${blast}`,
        ).pipe(
          Effect.map(([row]) => row ?? null),
          Effect.orDie,
        ),
    })
  }),
)

export const memoryScenario = Layer.effect(
  DeliveryScenario,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const ids = yield* Ids
    return DeliveryScenario.of({
      blast: (workspace, people, options = {}) =>
        Effect.gen(function* () {
          const [list = "", blast = "", email = "", approval = "", ...names] = yield* ids.many(4 + people.length)
          const listId = ListId.make(list)
          yield* db.put(lists, workspace, list, {
            id: listId,
            kind: "static",
            name: list,
            slug: list,
            description: null,
            ownerBlastId: null,
            createdAt: epoch,
            updatedAt: epoch,
            memberCount: people.length,
          })
          const audience: Array<ContactId> = []
          for (const [at, person] of people.entries()) {
            const id = options.again?.[at] ?? ContactId.make(names[at] ?? "")
            audience.push(id)
            yield* db.put(listMembers, workspace, `${list}/${id}`, { listId, contactId: id, addedAt: epoch })
            if (options.again !== undefined) continue
            yield* db.put(contacts, workspace, id, {
              ...blankContact(id, epoch),
              email: person.email,
              emailNormalized: person.email === null ? null : normalized(person.email),
              phone: person.email === null ? `+1${id}` : null,
              unsubscribed: person.unsubscribed ?? false,
              marketingEmailSubscribed: person.marketingEmailSubscribed ?? null,
              marketingEmailInvalid: person.marketingEmailInvalid ?? false,
            })
            if (person.suppression !== undefined && person.email !== null) {
              const emailNormalized = normalized(person.email)
              yield* db.put(suppressions, workspace, emailNormalized, {
                emailNormalized,
                reason: person.suppression,
                createdAt: epoch,
              })
            }
          }
          const sending: SendingBlast = {
            id: BlastId.make(blast),
            status: "sending",
            name: "law",
            description: null,
            operational: options.operational ?? false,
            createdAt: epoch,
            updatedAt: epoch,
            audience: { listId, source: "existing" },
            email: { emailId: EmailId.make(email), source: "existing" },
            locked: { approvalId: ApprovalId.make(approval), version: 1, at: epoch },
            time: { mode: "send_now" },
            launch: { at: epoch, allotted: 0, pass: null, audience: null },
            paused: false,
            retryingSince: null,
          }
          yield* db.put(blasts, workspace, blast, sending)
          return { blast: sending.id, contacts: audience }
        }),
      setBlast: (workspace, id, to) =>
        Effect.gen(function* () {
          const blast = yield* db.find(blasts, workspace, id)
          if (blast === undefined || !("launch" in blast) || blast.status === "archived" || blast.launch === null)
            return
          const { audience, createdAt, description, email, launch, locked, name, operational, time, updatedAt } = blast
          const kept = {
            id,
            audience,
            createdAt,
            description,
            email,
            launch,
            locked,
            name,
            operational,
            time,
            updatedAt,
          }
          yield* db.put(
            blasts,
            workspace,
            id,
            to === "cancelled"
              ? { ...kept, status: "cancelled", cancelledAt: epoch, cancelledReason: null }
              : { ...kept, status: "sending", paused: to === "paused", retryingSince: null },
          )
        }),
      removeList: (workspace, id) =>
        Effect.gen(function* () {
          const blast = yield* db.find(blasts, workspace, id)
          if (blast?.status === "sending") yield* db.remove(lists, workspace, blast.audience.listId)
        }),
      setContact: (workspace, id, fields) =>
        Effect.gen(function* () {
          if (fields === "deleted") return yield* db.remove(contacts, workspace, id)
          const contact = yield* db.find(contacts, workspace, id)
          if (contact !== undefined) yield* db.put(contacts, workspace, id, { ...contact, ...fields })
        }),
      suppress: (workspace, email, reason) => {
        const emailNormalized = normalized(email)
        return db.put(suppressions, workspace, emailNormalized, { emailNormalized, reason, createdAt: epoch })
      },
      written: (workspace, blast) =>
        Effect.map(db.all(deliveries, workspace), (rows) =>
          rows
            .filter((row) => row.blastId === blast)
            .sort((left, right) => (left.id < right.id ? -1 : 1))
            .map((row): WrittenDelivery => ({ ...row, reply: row.smtpReply })),
        ),
      contact: (workspace, id) =>
        Effect.gen(function* () {
          const contact = yield* db.find(contacts, workspace, id)
          const lines = (yield* db.all(activities, workspace)).filter((line) => line.contactId === id)
          return {
            unsubscribed: contact?.unsubscribed === true,
            marketingEmailInvalid: contact?.marketingEmailInvalid === true,
            lastActivityAt: contact?.lastActivityAt ?? null,
            timeline: lines.map((line) => line.type),
          }
        }),
      suppressionOf: (workspace, email) =>
        Effect.map(db.find(suppressions, workspace, normalized(email)), (row) => row?.reason ?? null),
      elapse: (workspace, by_ms) =>
        Effect.gen(function* () {
          for (const { bucket, lane } of yield* db.all(lanes, workspace)) {
            yield* db.put(lanes, workspace, lane, { lane, bucket: { ...bucket, at_ms: bucket.at_ms - by_ms } })
          }
          for (const row of yield* db.all(deliveries, workspace)) {
            const leaseUntil_ms = row.leaseUntil_ms === null ? null : row.leaseUntil_ms - by_ms
            yield* db.put(deliveries, workspace, row.id, { ...row, leaseUntil_ms })
          }
        }),
      tally: () => Effect.succeed(null),
    })
  }),
)
