// The world that blasts are measured in: PostgreSQL as the product brings it, an HTTP process, workers as a section wants them,
// a mail server of its own, and workspaces full of people.
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, type Redacted } from "effect"
import { Database } from "../../faults/Database.ts"
import { Deployment, type ServiceProcess } from "../../faults/Deployment.ts"
import type { OpenWorkspace } from "../../support/Inside.ts"
import { until } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import { letterOf } from "../render/Letter.ts"
import { type Arrival, countOf, Sink } from "./Sink.ts"

/** The product's default of `SMTP_CONNECTIONS`. */
export const connections = 20

/** 20 KB on the wire. */
const letter = letterOf(6)

/** A workspace whose people have addresses at the domains `d0.<name>.test`, `d1.<name>.test` … */
export interface Sender extends OpenWorkspace {
  readonly name: string
  /** A list of everybody. */
  readonly listId: string
}

interface Population {
  readonly contacts: number
  /** That their addresses are spread over. */
  readonly domains?: number
}

export class World {
  readonly deployment: Deployment
  readonly sink: Sink
  readonly ownerUrl: Redacted.Redacted

  private constructor(deployment: Deployment, sink: Sink, ownerUrl: Redacted.Redacted) {
    this.deployment = deployment
    this.sink = sink
    this.ownerUrl = ownerUrl
  }

  static async begin({ ending, report }: Bench): Promise<World> {
    report.say("starting the service …")
    const { ownerUrl } = await Database.begin(ending)
    const sink = await Sink.begin(ending)
    const deployment = await Deployment.over(ending, ownerUrl, { SMTP_URL: sink.url })
    const world = new World(deployment, sink, ownerUrl)
    const [row] = await deployment.inside.asOwner<{ version: string; fsync: string }>(
      "select current_setting('server_version') as version, current_setting('fsync') as fsync",
    )
    report.fact("database", `PostgreSQL ${row?.version}, embedded, fsync ${row?.fsync}`)
    return world
  }

  /** As it is started by itself, or the module of a benchmark; it has come up when this answers. */
  async worker({ connections: count = connections, module = "@tentpole/worker/main" } = {}): Promise<ServiceProcess> {
    const started = await this.deployment.startWorker(module, { SMTP_CONNECTIONS: String(count) })
    const ended = started.ended.then(() => {
      throw new Error(`a worker did not come up: ${started.output}`)
    })
    await Promise.race([started.ready, ended])
    ended.catch(() => undefined)
    return started
  }

  async stop(worker: ServiceProcess): Promise<void> {
    worker.terminate()
    await worker.ended
  }

  /** On the plan without limits, its domain verified. */
  async sender(name: string, { contacts, domains = 1 }: Population): Promise<Sender> {
    const { inside } = this.deployment
    const workspace = await inside.workspace(this.deployment, name)
    const { call, id } = workspace
    await inside.asOwner("update workspace set plan = 'max' where workspace_id = $1::uuid", [id])
    await inside.run(
      Effect.gen(function* () {
        const workspaces = yield* Workspaces
        const { domain } = yield* workspaces.addDomain(id, `${name}.test`)
        yield* workspaces.verifyDomain(id, domain.id)
      }),
    )
    const items = ["plan", "points"].map((field) => ({ api_name: field, display_name: field, value_type: "string" }))
    await call("POST", "/v1/contact-fields", { items })
    await inside.asOwner(
      `insert into contact (workspace_id, contact_id, email, email_folded, email_normalized, first_name, first_name_folded,
         last_name, last_name_folded, city, city_folded, custom_fields, unsubscribed, marketing_email_invalid, created_at, updated_at)
       select $1::uuid, uuidv7_or_v4(), address, address, address, 'Ann', 'ann', 'Person ' || i, 'person ' || i, 'Rome', 'rome',
         jsonb_build_object('plan', 'basic', 'points', i::text), false, false, now(), now()
       from (select i, 'person' || i || '@d' || i % $3::int || '.' || $2::text || '.test' as address
         from generate_series(1, $4::int) as i) as people`,
      [id, name, domains, contacts],
    )
    await inside.asOwner("vacuum (analyze) contact")
    const [everybody] = await inside.asOwner<{ list_id: string }>(
      "select list_id from list where workspace_id = $1::uuid and system_list = 'all_contacts'",
      [id],
    )
    return { ...workspace, name, listId: everybody?.list_id ?? "" }
  }

  /** A blast to everybody, ready to be sent. */
  async draft({ call, listId, name }: Sender): Promise<string> {
    const { blast_id } = await call("POST", "/v1/email-blasts", { name: "News" })
    await call("PUT", `/v1/email-blasts/${blast_id}/audience`, { source: "existing", list_id: listId })
    const { email } = await call("PUT", `/v1/email-blasts/${blast_id}/email`, {
      source: "inline",
      html: letter.html,
      subject: letter.subject,
      from_name: letter.fromName,
      from_address: `news@${name}.test`,
      reply_to_email: `reply@${name}.test`,
    })
    await call("POST", `/v1/emails/${email.email_id}/approve`, {})
    return blast_id
  }

  async launch(sender: Sender): Promise<string> {
    const blast = await this.draft(sender)
    await sender.call("POST", `/v1/email-blasts/${blast}/send-now`, {})
    return blast
  }

  async cancel(sender: Sender, blast: string): Promise<void> {
    await sender.call("POST", `/v1/email-blasts/${blast}/cancel`, {})
  }

  async pause({ call }: Sender, blast: string): Promise<void> {
    await call("POST", `/v1/email-blasts/${blast}/pause`, {})
  }

  /** What has come for a sender's people since the mail server was last told to forget. */
  async arrivals({ name }: Pick<Sender, "name">): Promise<ReadonlyArray<Arrival>> {
    const { arrivals } = await this.sink.told()
    return arrivals.filter(({ domain }) => domain.endsWith(`.${name}.test`))
  }

  /** Waits until so many have come. */
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

  /** Waits until it is written that all of it was sent. */
  async sent({ call }: Sender, blast: string): Promise<void> {
    await until(
      "the blast to be sent",
      async () => (await call("GET", `/v1/email-blasts/${blast}`)).status === "sent",
      {
        within_ms: 60_000,
        every_ms: 50,
      },
    )
  }
}
