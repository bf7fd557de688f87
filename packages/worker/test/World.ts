// A worker's surroundings in tests: every store on a PostgreSQL of this run, and a workspace that can send.
import { PgClient } from "@effect/sql-pg"
import * as Cleaner from "@tentpole/adapters/ai/SanitizeHtml"
import * as DkimSigner from "@tentpole/adapters/crypto/DkimSigner"
import * as Ids from "@tentpole/adapters/crypto/Ids"
import * as SecretsAdapter from "@tentpole/adapters/crypto/Secrets"
import * as PersistedJobs from "@tentpole/adapters/jobs/PersistedJobs"
import * as Stores from "@tentpole/adapters/postgres/All"
import * as Postgres from "@tentpole/adapters/postgres/Postgres"
import * as Smtp from "@tentpole/adapters/smtp/SmtpConnections"
import { parseSmtpUrl } from "@tentpole/adapters/smtp/SmtpUrl"
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { encodeText } from "@tentpole/core/Bytes"
import { eventually, Fresh, testSettings, withFewKeyPairs } from "@tentpole/core/contract"
import { Deliveries } from "@tentpole/core/deliveries/Deliveries"
import { Links } from "@tentpole/core/deliveries/Links"
import { OutgoingMail } from "@tentpole/core/deliveries/OutgoingMail"
import { ApprovalId, BlastId, DomainId, EmailId, ListId, type WorkspaceId } from "@tentpole/core/Ids"
import { Secrets } from "@tentpole/core/Secrets"
import { Settings } from "@tentpole/core/Settings"
import { Transactor } from "@tentpole/core/Transactor"
import type { WorkspaceFields } from "@tentpole/core/workspaces/Workspace"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { start, type SenderOptions, defaults } from "@tentpole/worker/Sender"
import { DateTime, Effect, Layer, Redacted, Result } from "effect"
import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    readonly pgServer: string
    readonly pgOwner: string
  }
}

let cloned = 0

const clone = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const name = `test_worker_${process.pid}_${++cloned}`
  yield* sql`create database ${sql(name)} template template_tentpole strategy file_copy`
  return name
}).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(`${inject("pgServer")}/postgres`), maxConnections: 1 })))

const clients = Layer.unwrap(
  Effect.map(clone, (name) => {
    const options: Postgres.PostgresOptions = {
      url: Redacted.make(`${inject("pgOwner")}/${name}`),
      applicationName: "tentpole worker test",
      connections_max: 10,
      statement_timeout_ms: 60_000,
    }
    return Postgres.connections(options)
  }),
)

export const settings: Settings["Service"] = { ...testSettings, smtpConnections: 8 }

const secrets = withFewKeyPairs(
  SecretsAdapter.layer({ secret: Redacted.make("a secret for tests, long enough"), previous: null }),
)

export const world = Layer.mergeAll(Fresh.layer, Blasts.layer, Deliveries.layer, OutgoingMail.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Stores.stores, PersistedJobs.layer(), Links.layer)),
  Layer.provideMerge(clients),
  Layer.provideMerge(
    Layer.mergeAll(Ids.layer, secrets, Cleaner.layer, DkimSigner.layer, Layer.succeed(Settings, Settings.of(settings))),
  ),
)

/** It looks often, and is patient: who tests a time that runs out makes that one short. */
export const quick: SenderOptions = {
  ...defaults,
  claim_batch_max: 50,
  settle_batch_max: 16,
  poll_every_ms: 20,
  sweep_every_ms: 100,
  idle_ms: 200,
  grace_ms: 60_000,
  last_writes_ms: 60_000,
}

/** Connections to the mail server at this port. */
export const connectionsTo = (port: number) => {
  const url = parseSmtpUrl(`smtp://127.0.0.1:${port}/?ignoreTLS=true&openTimeout=60&commandTimeout=60&replyTimeout=60`)
  return Smtp.layer(Result.getOrThrow(url))
}

/** A sender of its own on the mail server at this port, until the scope ends. */
export const sender = (port: number, options: SenderOptions = quick) =>
  start(options).pipe(Effect.provide(connectionsTo(port)))

const epoch = DateTime.makeUnsafe(1_700_000_000_000)
const iso = DateTime.formatIso(epoch)

/** A workspace with the verified domain `sender.test`. It goes with the test, so that no later sender finds work in it. */
export const workspaceWith = Effect.fnUntraced(function* (fields: WorkspaceFields) {
  const id = yield* (yield* Fresh).workspace({ postalAddress: "1 Main Street", ...fields })
  const sql = yield* PgClient.PgClient
  yield* Effect.addFinalizer(() => Effect.orDie(sql`delete from workspace where workspace_id = ${id}`))
  const secretsOf = yield* Secrets
  const { privateKeyPem, publicKeyDer } = yield* secretsOf.rsaKeyPair
  const sealed = yield* secretsOf.seal("dkim", encodeText(privateKeyPem))
  const { transact } = yield* Transactor
  yield* transact(
    (yield* WorkspaceStore).putDomain(id, {
      id: DomainId.make(yield* (yield* Fresh).id),
      domain: "sender.test",
      status: "verified",
      dkimSelector: "tentpole",
      dkimPublicKey: publicKeyDer,
      dkimPrivateKeySealed: sealed,
      verifiedAt: epoch,
      createdAt: epoch,
    }),
  )
  return id
})

export const workspace = workspaceWith({})

const html = `<html><body><p>Hello {{contact.first_name|friend}}</p><a href="https://example.com/a?b=c&amp;d">go</a></body></html>`

/** A blast to `count` new contacts, sending, its audience fixed. Addresses are `<prefix><n>@example.test`. */
export const sendingBlast = Effect.fnUntraced(function* (
  ws: WorkspaceId,
  count: number,
  { content = html, from = "news@sender.test", prefix = "person" } = {},
) {
  const sql = yield* PgClient.PgClient
  const fresh = yield* Fresh
  const blast = BlastId.make(yield* fresh.id)
  const list = ListId.make(yield* fresh.id)
  const email = EmailId.make(yield* fresh.id)
  const approval = ApprovalId.make(yield* fresh.id)
  yield* Postgres.fenced(sql)(
    ws,
    Effect.gen(function* () {
      yield* sql`insert into list (workspace_id, list_id, kind, name, name_folded, slug, member_count, created_at, updated_at)
        values (${ws}, ${list}, 'static', ${list}, ${list}, ${list}, 0, ${iso}, ${iso})`
      yield* sql`
        with people as (
          insert into contact (workspace_id, contact_id, email, email_normalized, first_name, first_name_folded, unsubscribed,
            marketing_email_invalid, created_at, updated_at)
          select ${ws}, uuidv7_or_v4(), ${prefix} || n || '@example.test', ${prefix} || n || '@example.test', 'Ann', 'ann', false,
            false, ${iso}::timestamptz, ${iso}::timestamptz
          from generate_series(1, ${count}) n
          returning contact_id
        )
        insert into list_member (workspace_id, list_id, contact_id, added_at)
        select ${ws}, ${list}, contact_id, ${iso} from people`
      yield* sql`insert into email_approval (workspace_id, approval_id, email_id, version, subject, from_name, from_address,
          reply_to_email, html, plain_text, approved_at)
        values (${ws}, ${approval}, ${email}, 1, 'Hello {{contact.first_name}}', 'News', ${from}, ${from}, ${content}, 'Hello', ${iso})`
      yield* sql`insert into blast (workspace_id, blast_id, name, name_folded, status, audience_list_id, audience_source, email_id,
          email_source, send_mode, approved_at, approved_email_version, approval_id, launched_at, created_at, updated_at)
        values (${ws}, ${blast}, 'test', 'test', 'sending', ${list}, 'existing', ${email}, 'existing', 'send_now', ${iso}, 1,
          ${approval}, ${iso}, ${iso}, ${iso})`
    }),
  ).pipe(Effect.orDie)
  yield* (yield* Deliveries).fixAudience(ws, blast)
  return blast
})

export interface Written {
  readonly id: string
  readonly email: string
  readonly state: string
  readonly reason: string | null
  readonly attempts: number
}

export const written = (ws: WorkspaceId, blast: BlastId) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Postgres.fenced(sql)(
      ws,
      sql<Written>`select delivery_id as id, email, state, reason, attempts from delivery
        where workspace_id = ${ws} and blast_id = ${blast} order by delivery_id`,
    ).pipe(Effect.orDie),
  )

/** How many deliveries are in each state, and the kept counters. */
export const counts = (ws: WorkspaceId, blast: BlastId) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const states: Record<string, number> = {}
    for (const { state } of yield* written(ws, blast)) states[state] = (states[state] ?? 0) + 1
    const [tally] = yield* Postgres.fenced(sql)(
      ws,
      sql<{
        readonly queued: number
        readonly sent: number
        readonly failed: number
        readonly blocked: number
        readonly delivered: number
      }>`select sum(queued)::int as queued, sum(sent)::int as sent, sum(failed)::int as failed, sum(blocked)::int as blocked,
          sum(delivered)::int as delivered from delivery_tally where workspace_id = ${ws} and blast_id = ${blast}`,
    ).pipe(Effect.orDie)
    return { states, tally }
  })

export const statusOf = (ws: WorkspaceId, blast: BlastId) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Postgres.fenced(sql)(
      ws,
      sql<{ readonly status: string; readonly failure: string | null }>`
        select status, failure from blast where workspace_id = ${ws} and blast_id = ${blast}`,
    ).pipe(
      Effect.map(([row]) => row),
      Effect.orDie,
    ),
  )

/** Waits until it holds; a test that waits in vain runs into its own time-out. */
export const until = <E, R>(holds: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.asVoid(eventually(holds, (does) => does))
