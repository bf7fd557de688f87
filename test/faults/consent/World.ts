// The world of the campaign `consent`: a deployment, and a workspace with topics for each scenario. Calls are repeated until they are
// answered, as the clients of a service do whose processes are killed.
import { SubscriptionRequestId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { confirmationToken } from "@tentpole/core/subscriptions/ConfirmationLink"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Data, Effect } from "effect"
import { sendingWorkspace } from "../../support/Blast.ts"
import type { Ending } from "../../support/Ending.ts"
import { type Answer, type Json, pause, until } from "../../support/Service.ts"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import { Database } from "../Database.ts"
import { Deployment } from "../Deployment.ts"

const admin_token = "faults-admin-token-0123456789-0123456789"
const patience = { within_ms: 180_000, every_ms: 50 }

/** A workspace with two topics that need a confirmation. */
export interface Asking {
  readonly id: WorkspaceId
  readonly key: string
  readonly topics: ReadonlyArray<string>
  /** Requests that were answered, and confirmations that were answered: none may be lost. */
  readonly answered: Set<string>
  readonly confirmed: Set<string>
  /** Contacts that were deleted, erased or merged into others. */
  readonly ended: Set<string>
  readonly imports: Set<string>
}

export class World extends Data.Class<{ readonly deployment: Deployment }> {
  #count = 0

  static async begin(ending: Ending): Promise<World> {
    const { ownerUrl } = await Database.begin(ending)
    return new World({ deployment: await Deployment.over(ending, ownerUrl, { ADMIN_TOKEN: admin_token }) })
  }

  async worker(): Promise<ServiceProcess> {
    return (await this.deployment.startWorker()).up()
  }

  async asking(): Promise<Asking> {
    // `calm` deletes workspaces whose names begin so.
    const name = `consent${++this.#count}`
    const { call, id } = await sendingWorkspace(this.deployment, name)
    const key = await this.deployment.inside.run(
      Effect.gen(function* () {
        const workspaces = yield* Workspaces
        yield* workspaces.update(id, {
          consent: { confirmationsPerHour: 100_000 },
          senderDefaults: { fromName: "Acme", fromAddress: `news@${name}.test`, replyToEmail: null },
        })
        return (yield* workspaces.createKey(id, { name })).raw
      }),
    )
    const topics: Array<string> = []
    for (const topic of ["News", "Offers"]) {
      topics.push((await call("POST", "/v1/topics", { name: topic, default_subscription: "unsubscribed" })).topic_id)
    }
    return {
      id,
      key,
      topics,
      answered: new Set(),
      confirmed: new Set(),
      ended: new Set(),
      imports: new Set(),
    }
  }

  /** Repeats a call until a process answers it. A refusal is an answer. */
  async call(asking: Asking, method: string, path: string, body?: unknown, form = false): Promise<Answer> {
    const headers: Record<string, string> = path.startsWith("/admin")
      ? { authorization: `Bearer ${admin_token}` }
      : form
        ? { authorization: "", "content-type": "application/x-www-form-urlencoded" }
        : { authorization: `Bearer ${asking.key}` }
    return until(
      `an answer to ${method} ${path}`,
      async () => {
        const answer = await this.deployment.call(method, path, body, headers).catch(() => null)
        return answer !== null && answer.status < 500 && answer
      },
      patience,
    )
  }

  /** The open or confirmed request of an address; a repeated one is refused, because the address has its mail. */
  async subscribe(asking: Asking, email: string): Promise<Json> {
    const { json, status } = await this.call(asking, "POST", "/v1/subscriptions", {
      email,
      topic_ids: asking.topics,
      consent: { text: "Yes, send me the letter.", source: "checkout", ip: "203.0.113.77" },
    })
    if (status === 202) asking.answered.add(json.subscription_request_id)
    else if (status !== 429) throw new Error(`a subscription was answered with ${status}: ${JSON.stringify(json)}`)
    const found = await this.call(asking, "GET", `/v1/contacts?email=${encodeURIComponent(email)}`)
    const { contact_id } = found.json.items[0]
    return this.requestOf(asking, contact_id)
  }

  async requestOf(asking: Asking, contact: string): Promise<Json> {
    const { json } = await this.call(asking, "GET", `/v1/subscriptions?contact_id=${contact}`)
    return json.subscriptions[0]
  }

  async confirm(asking: Asking, request: string): Promise<void> {
    const token = await this.deployment.inside.run(
      Effect.map(Secrets, (secrets) =>
        confirmationToken(secrets, { workspaceId: asking.id, requestId: SubscriptionRequestId.make(request) }),
      ),
    )
    const url = `http://127.0.0.1:${this.deployment.pagesPort}/s/${token}`
    const { status } = await this.call(asking, "POST", url, "confirm=subscribe", true)
    if (status !== 200) throw new Error(`a confirmation was answered with ${status}`)
    asking.confirmed.add(request)
  }

  /** The end of all marketing, by the page of a person. */
  async leave(asking: Asking, contact: string): Promise<void> {
    const { json } = await this.call(asking, "POST", `/v1/contacts/${contact}/preferences-link`, {})
    const url = new URL(json.url)
    const page = `http://127.0.0.1:${this.deployment.pagesPort}${url.pathname}`
    const { status } = await this.call(asking, "POST", page, "action=unsubscribe_all", true)
    if (status !== 200) throw new Error(`the preference page answered ${status}`)
  }

  /** Starts an import of people who have to confirm. */
  async importPeople(asking: Asking, emails: ReadonlyArray<string>): Promise<string> {
    const session = await this.call(asking, "POST", "/v1/contacts/imports", {
      source: "rows",
      rows: emails.map((Email) => ({ Email })),
    })
    const path = `/v1/contacts/imports/${session.json.import_session_id}/execute`
    const { json } = await this.call(asking, "POST", path, {
      mappings: [{ header: "Email", target_field: "email" }],
      consent: { topic_ids: asking.topics, source: "fair", text: "Yes, send me the letter.", double_opt_in: true },
    })
    asking.imports.add(json.import_run_id)
    return json.import_run_id
  }

  /** What a dead worker held is free at once, and what waits for a time is due. */
  async hurry({ id, imports }: Asking): Promise<void> {
    await this.deployment.inside.asOwner(
      `update due_work set due_at = now(), token = token + 1
       where workspace_id = $1::uuid and kind in ('confirmations', 'subscriptions')`,
      [id],
    )
    for (const run of imports) await this.deployment.endLease(`import_run:${run}`, 1)
  }

  /** Waits until every import has ended and no contact of one waits for its mail. */
  async quiet(asking: Asking): Promise<void> {
    const { inside } = this.deployment
    await until(
      "the imports to end and their people to be asked",
      async () => {
        const [row] = await inside.asOwner<{ readonly open: boolean }>(
          `select exists (select from import_run where workspace_id = $1::uuid and status not in ('completed', 'failed'))
             or exists (select from import_confirmation where workspace_id = $1::uuid) as open`,
          [asking.id],
        )
        return row?.open === false
      },
      patience,
    )
  }

  async killHttp(): Promise<void> {
    await this.deployment.killHttp()
  }

  /** Waits until the database has rolled back what a dead process had begun. */
  async startHttp(): Promise<void> {
    await this.deployment.startHttp()
    await this.deployment.http?.ready
    await pause(0)
  }

  async calm(): Promise<void> {
    await this.deployment.killWorkers()
    if (this.deployment.http?.alive !== true) await this.startHttp()
    await this.deployment.inside.deleteWorkspaces("consent")
  }
}
