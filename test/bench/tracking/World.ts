// The world that openings are measured in: the service as a user starts it, a mail server that takes 500 messages a second, a
// list whose members are being written to, and an earlier blast whose messages are being opened meanwhile.
import * as Secrets from "@tentpole/adapters/crypto/Secrets"
import { runningUrl } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { settingsLayer } from "@tentpole/core/contract"
import { Links } from "@tentpole/core/rendering/Links"
import { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { join } from "node:path"
import * as Owner from "../../support/Owner.ts"
import { answered, Service } from "../../support/Service.ts"
import { type Sink, startSink } from "../../support/Sink.ts"
import type { Bench } from "../Benchmark.ts"

export interface World {
  readonly service: Service
  readonly sink: Sink
  readonly listId: string
  /** Paths of pixels, each of another message. */
  readonly pixels: ReadonlyArray<string>
  readonly asOwner: <Row extends object>(statement: string) => Promise<ReadonlyArray<Row>>
}

const secret = "a secret for benchmarks of tracking"

/** What the sending is held at. */
export const per_second_max = 500

export const makeWorld = async (
  bench: Bench,
  size: { readonly members: number; readonly sent: number },
): Promise<World> => {
  const { ending, report } = bench
  const sink = await startSink({ per_second_max })
  await ending.with(() => sink.close())
  const service = await Service.prepare({ SMTP_URL: sink.url, APP_SECRET: secret })
  await ending.with(() => service.remove())
  report.say("starting the service …")
  await service.start()
  const url = await Effect.runPromise(runningUrl(join(service.folder, "data/database")))
  if (url === null) throw new Error("the service runs without its embedded PostgreSQL")
  const runtime = ManagedRuntime.make(Owner.layer(url))
  await ending.with(() => runtime.dispose())
  const asOwner: World["asOwner"] = <Row extends object>(statement: string) =>
    runtime.runPromise(Effect.flatMap(Owner.Owner, (sql) => sql.unsafe<Row>(statement).unprepared))
  const { list_id } = await answered(service, "POST", "/v1/contact-lists", { name: "Members", kind: "static" })
  const [workspace] = await asOwner<{ workspace_id: string }>("select workspace_id from workspace")
  const workspaceId = WorkspaceId.make(workspace?.workspace_id ?? "")
  report.say("filling the workspace …")
  const ids = await fill(asOwner, { workspaceId, listId: list_id, ...size })
  return { service, sink, listId: list_id, pixels: await pixelsOf(workspaceId, ids), asOwner }
}

interface Filling {
  readonly workspaceId: WorkspaceId
  readonly listId: string
  readonly members: number
  readonly sent: number
}

/** Contacts, the first of them members, and a message that was sent to each of the others an hour ago. Answers those messages. */
const fill = async (asOwner: World["asOwner"], { listId, members, sent, workspaceId }: Filling) => {
  await asOwner(`
    insert into contact (workspace_id, contact_id, first_name, first_name_folded, email, email_folded, email_normalized,
      unsubscribed, marketing_email_invalid, created_at, updated_at)
    select '${workspaceId}', uuidv7_or_v4(), 'Ann', 'ann', address, address, address, false, false, now(), now()
    from (select 'person' || i || '@example.test' as address from generate_series(1, ${members + sent}) as i) as people`)
  await asOwner(`
    insert into list_member (workspace_id, list_id, contact_id, added_at)
    select workspace_id, '${listId}', contact_id, now() from contact order by contact_id limit ${members}`)
  const [blast] = await asOwner<{ blast_id: string }>(`
    insert into blast (workspace_id, blast_id, name, name_folded, status, audience_list_id, audience_source, email_id,
      email_source, operational, send_mode, approved_at, approved_email_version, approval_id, launched_at, audience_fixed_at,
      sent_at, created_at, updated_at)
    values ('${workspaceId}', uuidv7_or_v4(), 'Earlier', 'earlier', 'sent', '${listId}', 'existing', uuidv7_or_v4(),
      'existing', false, 'send_now', now(), 1, uuidv7_or_v4(), now(), now(), now(), now(), now())
    returning blast_id`)
  const rows = await asOwner<{ delivery_id: string }>(`
    insert into delivery (workspace_id, delivery_id, blast_id, contact_id, approval_id, email, email_normalized, operational,
      state, due_at, handed_over_at, sent_at, delivered_at, created_at)
    select workspace_id, uuidv7_or_v4(), '${blast?.blast_id}', contact_id, uuidv7_or_v4(), email, email_normalized, false,
      'sent', hour, hour, hour, hour, hour
    from contact, (select now() - interval '1 hour') as ago (hour)
    order by contact_id offset ${members}
    returning delivery_id`)
  await asOwner("analyze")
  return rows.map((row) => DeliveryId.make(row.delivery_id))
}

/** By the secret that the service has. In no order: readers don't come as the messages went. */
const pixelsOf = (workspaceId: WorkspaceId, ids: ReadonlyArray<DeliveryId>) =>
  Effect.gen(function* () {
    const links = yield* Links
    return ids
      .map((deliveryId) => new URL(links.of({ workspaceId, deliveryId }).open).pathname)
      .sort((left, right) => (left.slice(-20) < right.slice(-20) ? -1 : 1))
  }).pipe(
    Effect.provide(
      Links.layer.pipe(
        Layer.provide(Layer.merge(Secrets.layer({ secret: Redacted.make(secret), previous: null }), settingsLayer())),
      ),
    ),
    Effect.runPromise,
  )
