// The world of the campaign `webhooks`: a deployment, a receiver that logs, and a workspace with endpoints for each scenario.
import { Data, type Redacted } from "effect"
import type { OpenWorkspace } from "../../support/Inside.ts"
import type { Ending } from "../../support/Ending.ts"
import { until } from "../../support/Service.ts"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import { ReceiverProcess } from "../../support/webhooks/ReceiverProcess.ts"
import { Database } from "../Database.ts"
import { Deployment, type Variables } from "../Deployment.ts"

const modes = ["parallel", "ordered", "batch"] as const
type Mode = (typeof modes)[number]

export interface Endpoint {
  readonly id: string
  readonly path: string
  readonly mode: Mode
  readonly secret: string
}

/** A workspace with an endpoint of each mode. */
export interface Hooked extends OpenWorkspace {
  readonly endpoints: ReadonlyArray<Endpoint>
}

interface Parts {
  readonly deployment: Deployment
  readonly receiver: ReceiverProcess
  /** Null: it does not belong to this world. */
  readonly ownDatabase: Database | null
}

const patience = { within_ms: 300_000, every_ms: 100 }

export class World extends Data.Class<Parts> {
  #count = 0

  static async begin(ending: Ending): Promise<World> {
    const { database, ownerUrl } = await Database.begin(ending)
    return World.over(ending, ownerUrl, database)
  }

  static async over(
    ending: Ending,
    ownerUrl: Redacted.Redacted,
    ownDatabase: Database | null,
    more: Variables = {},
  ): Promise<World> {
    const receiver = await ReceiverProcess.start(ending, { log: true })
    const variables = { WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32", WEBHOOK_TIMEOUT_SECONDS: "2", ...more }
    return new World({ ownDatabase, deployment: await Deployment.over(ending, ownerUrl, variables), receiver })
  }

  get database(): Database {
    if (this.ownDatabase === null) throw new Error("the database does not belong to this world and cannot be stopped")
    return this.ownDatabase
  }

  async worker(): Promise<ServiceProcess> {
    return (await this.deployment.startWorker()).up()
  }

  async hooked(): Promise<Hooked> {
    const name = `hooks${++this.#count}`
    const workspace = await this.deployment.inside.workspace(this.deployment, name)
    const endpoints: Array<Endpoint> = []
    for (const mode of modes) {
      const path = `/${name}/${mode}`
      const settings = mode === "batch" ? { batch: { max_events: 50, max_wait_ms: 200 } } : { mode, max_in_flight: 10 }
      const made = await workspace.call("POST", "/v1/webhook-endpoints", {
        url: this.receiver.url(path),
        event_types: ["contact.created"],
        ...settings,
      })
      endpoints.push({ id: String(made["endpoint_id"]), path, mode, secret: String(made["secret"]) })
    }
    return { ...workspace, endpoints }
  }

  /** Creates contacts: an event each. */
  async create({ call }: Hooked, count: number, from = 0): Promise<void> {
    for (let first = from; first < from + count; first += 100) {
      const items = Array.from({ length: Math.min(100, from + count - first) }, (_, nth) => ({
        email: `person${first + nth}@example.org`,
      }))
      await call("POST", "/v1/contacts", { items })
    }
  }

  /** Retries that are due in hours, and probes that are due in a minute, are due now. */
  async hurry({ id }: Hooked): Promise<void> {
    await this.deployment.inside.asOwner(
      `update webhook_delivery set next_attempt_at = now()
       where workspace_id = $1::uuid and status = 'pending' and claim is null and next_attempt_at > now()`,
      [id],
    )
    await this.deployment.inside.asOwner(
      `update webhook_reader set failed_at = now() - interval '1 minute'
       where workspace_id = $1::uuid and failures_in_row > 0 and failed_at > now() - interval '1 minute'`,
      [id],
    )
    await this.deployment.inside.asOwner(
      `update due_work set due_at = now(), token = token + 1
       where workspace_id = $1::uuid and kind = 'webhooks' and due_at > now() + interval '1 second'`,
      [id],
    )
  }

  /** Waits until every event is taken over and no delivery waits. */
  async quiet(hooked: Hooked, { hurries = false } = {}): Promise<void> {
    await until(
      "the webhooks to be delivered",
      async () => {
        if (hurries) await this.hurry(hooked)
        const [row] = await this.deployment.inside.asOwner<{ readonly open: boolean }>(
          `select exists (select from webhook_delivery where workspace_id = $1::uuid and status = 'pending')
             or exists (select from webhook_reader r join outbox_stream s on s.workspace_id = r.workspace_id
               where r.workspace_id = $1::uuid and r.position < s.position) as open`,
          [hooked.id],
        )
        return row?.open === false
      },
      patience,
    )
  }

  async calm(): Promise<void> {
    await this.deployment.killWorkers()
    await this.receiver.reset()
    await this.deployment.inside.deleteWorkspaces("hooks")
  }
}
