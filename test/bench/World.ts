// The world of the benchmarks: the product's own PostgreSQL, an HTTP process, workers as a benchmark wants them, and a mail
// server that counts.
import { recount } from "@tentpole/adapters/test/Recount"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Data, Effect, Redacted } from "effect"
import { Database } from "../faults/Database.ts"
import { Deployment, type Variables } from "../faults/Deployment.ts"
import { Pair } from "../faults/failover/Pair.ts"
import { Proxy } from "../faults/Proxy.ts"
import { draftBlast, letterFrom, sendingWorkspace } from "../support/Blast.ts"
import { type Arrival, FakeSmtpProcess, countOf } from "../support/smtp/FakeSmtpProcess.ts"
import type { Inside, OpenWorkspace } from "../support/Inside.ts"
import * as Owner from "../support/Owner.ts"
import { until } from "../support/Service.ts"
import { familyTime_ms } from "../support/ProcessFacts.ts"
import type { ServiceProcess } from "../support/ServiceProcess.ts"
import type { Bench } from "./Benchmark.ts"
import { letterOf } from "./render/Letter.ts"

/** The product's default of `SMTP_CONNECTIONS`. */
export const connections = 20

/** 20 KB on the wire. */
const { subject, html, fromName } = letterOf(6)

/** A workspace whose contacts have addresses at the domains `d0.<name>.test`, `d1.<name>.test` … */
export interface Sender extends OpenWorkspace {
  readonly name: string
  /** The list of all contacts. */
  readonly listId: string
}

interface Parts {
  readonly deployment: Deployment
  readonly inside: Inside
  readonly smtp: FakeSmtpProcess
  readonly databaseUrl: string
}

/** A server that counts the time of each statement (`pg_stat_statements`). */
const countingStatements: typeof Database.begin = async (ending) => {
  const { database, ownerUrl } = await Database.begin(ending)
  await database.asSuperuser(["alter system set shared_preload_libraries = 'pg_stat_statements'"])
  await database.stop()
  await database.start()
  await database.asSuperuser(["create extension pg_stat_statements", "grant pg_read_all_stats to tentpole_owner"])
  return { database, ownerUrl }
}

/**
 * `STANDBY=true`: each commit waits for a synchronous standby. `DATABASE_DELAY_MS`: what each packet to and from the database takes,
 * through a proxy in this process.
 */
const databaseOf = async (ending: Bench["ending"], report: Bench["report"]): Promise<Redacted.Redacted> => {
  const { DATABASE_DELAY_MS, STANDBY = "false" } = process.env
  const { ownerUrl } = STANDBY === "true" ? await Pair.begin(ending) : await countingStatements(ending)
  report.fact("standby", STANDBY)
  if (DATABASE_DELAY_MS === undefined) return ownerUrl
  report.fact("proxy to the database", `${DATABASE_DELAY_MS} ms in each direction`)
  const url = new URL(Redacted.value(ownerUrl))
  const proxy = await Proxy.to(Number(url.port), ending)
  proxy.delay_ms = Number(DATABASE_DELAY_MS)
  url.port = String(proxy.port)
  return Redacted.make(url.href)
}

export class World extends Data.Class<Parts> {
  static async begin({ ending, report }: Bench, more: Variables = {}): Promise<World> {
    report.say("starting the service …")
    const ownerUrl = await databaseOf(ending, report)
    const smtp = await FakeSmtpProcess.start(ending)
    const { SEND_JOURNAL = "false" } = process.env
    const deployment = await Deployment.over(ending, ownerUrl, { SMTP_URL: smtp.url, SEND_JOURNAL, ...more })
    const world = new World({ deployment, inside: deployment.inside, smtp, databaseUrl: Redacted.value(ownerUrl) })
    const [row] = await world.inside.asOwner<{ version: string; fsync: string }>(
      "select current_setting('server_version') as version, current_setting('fsync') as fsync",
    )
    report.fact("send journal", SEND_JOURNAL)
    report.fact("database", `PostgreSQL ${row?.version}, embedded, fsync ${row?.fsync}`)
    await deployment.call("GET", "/readyz")
    return world
  }

  /**
   * A statement by hand. PostgreSQL plans it each time: a statement by hand has other values each time, too, and a stored
   * plan for the very same values would compare nothing that happens.
   */
  byHand<Row extends object>(statement: string): Promise<ReadonlyArray<Row>> {
    return this.inside.run(Effect.flatMap(Owner.Owner, (sql) => sql.unsafe<Row>(statement).unprepared))
  }

  /** The processor time of PostgreSQL so far; NaN where the system does not report it. */
  async databaseTime_ms(): Promise<number> {
    const [row] = await this.byHand<{ pid: number }>("select pg_backend_pid() as pid")
    return (await familyTime_ms(row?.pid ?? 0)) ?? Number.NaN
  }

  /** The time of the statements so far that grant intents and write outcomes of messages; NaN with a standby. */
  async settlementTime_ms(): Promise<number> {
    if (process.env["STANDBY"] === "true") return Number.NaN
    const [row] = await this.byHand<{ ms: number }>(
      `select coalesce(sum(total_exec_time), 0) as ms from pg_stat_statements
       where query like '%grant_intents(%' or query like '%taken as (%' and query like '%delivery_queue%'`,
    )
    return row?.ms ?? Number.NaN
  }

  /** The workspace of the first start, which `deployment.call` is for. */
  async firstWorkspace(): Promise<WorkspaceId> {
    const [row] = await this.byHand<{ workspace_id: WorkspaceId }>("select workspace_id from workspace")
    if (row === undefined) throw new Error("the service has no workspace")
    return row.workspace_id
  }

  /** A worker that is up: the product's, or the same without one of its parts. */
  async worker(
    options: { readonly connections?: number; readonly without?: "mail" | "signature" } = {},
  ): Promise<ServiceProcess> {
    const { connections: count = connections, without } = options
    const variables = { SMTP_CONNECTIONS: String(count), ...(without === undefined ? {} : { WITHOUT: without }) }
    const module = without === undefined ? "@tentpole/worker/main" : new URL("BenchWorker.ts", import.meta.url).href
    return (await this.deployment.startWorker(module, variables)).up()
  }

  async stop(worker: ServiceProcess): Promise<void> {
    worker.terminate()
    await worker.ended
  }

  /** `domains`: over so many the addresses of the contacts are spread. */
  async sender(name: string, size: { readonly contacts: number; readonly domains?: number }): Promise<Sender> {
    const workspace = await sendingWorkspace(this.deployment, name)
    const items = ["plan", "points"].map((field) => ({ api_name: field, display_name: field, value_type: "string" }))
    await workspace.call("POST", "/v1/contact-fields", { items })
    await this.inside.asOwner(
      `insert into contact (workspace_id, contact_id, email, email_folded, email_normalized, first_name, first_name_folded,
         last_name, last_name_folded, city, city_folded, custom_fields, unsubscribed, marketing_email_invalid, created_at, updated_at)
       select $1::uuid, uuid_v7(), address, address, address, 'Ann', 'ann', 'Person ' || i, 'person ' || i, 'Rome', 'rome',
         jsonb_build_object('plan', 'basic', 'points', i::text), false, false, now(), now()
       from (select i, 'person' || i || '@d' || i % $3::int || '.' || $2::text || '.test' as address
         from generate_series(1, $4::int) as i) as people`,
      [workspace.id, name, size.domains ?? 1, size.contacts],
    )
    await this.inside.asOwner(recount, [workspace.id])
    await this.inside.asOwner("vacuum (analyze) contact")
    const [all] = await this.inside.asOwner<{ list_id: string }>(
      "select list_id from list where workspace_id = $1::uuid and system_list = 'all_contacts'",
      [workspace.id],
    )
    return { ...workspace, name, listId: all?.list_id ?? "" }
  }

  /** A blast to all contacts, ready to be sent. */
  draft({ call, listId, name }: Sender): Promise<string> {
    return draftBlast(call, listId, letterFrom(`news@${name}.test`, { subject, html, from_name: fromName }))
  }

  async launch(sender: Sender): Promise<string> {
    const blast = await this.draft(sender)
    await this.turn(sender, blast, "send-now")
    return blast
  }

  async turn({ call }: Sender, blast: string, verb: "cancel" | "pause" | "send-now"): Promise<void> {
    await call("POST", `/v1/email-blasts/${blast}/${verb}`, {})
  }

  /** What arrived for a sender's contacts since the counts were reset. */
  async arrivals({ name }: Pick<Sender, "name">): Promise<ReadonlyArray<Arrival>> {
    return (await this.smtp.arrivals()).filter(({ domain }) => domain.endsWith(`.${name}.test`))
  }

  /** Waits until so many have arrived. */
  async come(sender: Sender, count: number, within_ms = 120_000): Promise<ReadonlyArray<Arrival>> {
    return until(
      `${count} messages of ${sender.name}`,
      async () => {
        const arrivals = await this.arrivals(sender)
        return countOf(arrivals) >= count ? arrivals : undefined
      },
      { within_ms, every_ms: 50 },
    )
  }

  async sent({ call }: Sender, blast: string): Promise<void> {
    await until(
      "the blast to be sent",
      async () => (await call("GET", `/v1/email-blasts/${blast}`)).status === "sent",
      { within_ms: 60_000, every_ms: 50 },
    )
  }
}
