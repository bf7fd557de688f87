// A deployment whose processes have a meter, and the measurement of single requests.
import type { UseCases } from "@tentpole/http/test/attacks/AttackSuite"
import { mailgun_key, postmark_login, sendgrid_key, topic } from "@tentpole/http/test/fixtures/HookCalls"
import type { Answered, Call, Sent } from "@tentpole/http/test/fixtures/World"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { type Context, Data, Effect, type Redacted } from "effect"
import { Deployment } from "../../faults/Deployment.ts"
import type { Ending } from "../../support/Ending.ts"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import { freePort } from "@tentpole/adapters/test/FreePort"
import { pause } from "../../support/Service.ts"

export const adminToken = "admin_0123456789_0123456789_0123456789"

export interface Reading {
  readonly block_ms: number
  /** The longest processor time of the main thread between two turns of the event loop. */
  readonly busy_ms: number
  readonly rss_bytes: number
}

/** The reading with the smallest block. */
export interface Measured extends Reading {
  /** The block of the first try. */
  readonly first_ms: number
  /** How long the machine interrupted the process afterwards; 0 if that does not matter. */
  readonly noise_ms: number
}

/** The smaller block, with the larger memory. */
export const smallerOf = (left: Reading, right: Reading): Reading => ({
  ...(right.block_ms < left.block_ms ? right : left),
  rss_bytes: Math.max(left.rss_bytes, right.rss_bytes),
})

/** Of a process that ended: nothing is worse. */
const ended: Reading = { block_ms: Infinity, busy_ms: Infinity, rss_bytes: Infinity }

const asked = async (process: ServiceProcess, what: "meter" | "noise"): Promise<string | null> => {
  const message = process.message(`${what} `)
  process.send({ [what]: true })
  const text = await within(`the ${what}`, Promise.race([message, process.ended.then(() => null)]))
  return text === null ? null : text.slice(what.length + 1)
}

/** What a process did since the last reading. */
export const read = async (process: ServiceProcess): Promise<Reading> => {
  const text = await asked(process, "meter")
  return text === null ? ended : JSON.parse(text)
}

/** How long the machine interrupts a process that works now, at most. */
export const noise_ms = async (process: ServiceProcess): Promise<number> => {
  const longest_ms = Number((await asked(process, "noise")) ?? 0)
  // What the process did for this is no block of an input.
  await read(process)
  return longest_ms
}

/** The longest wait for one answer. */
const wait_ms = 60_000

/** Fails with what it waited for. */
export const within = async <A>(what: string, work: Promise<A>, limit_ms = wait_ms): Promise<A> => {
  const waited = Promise.withResolvers<never>()
  const timer = setTimeout(() => waited.reject(new Error(`waited ${limit_ms} ms for ${what}`)), limit_ms)
  return Promise.race([work, waited.promise]).finally(() => clearTimeout(timer))
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The status 0 means that the service closed the connection before the request was complete. */
export const send = async (
  origin: string,
  method: string,
  path: string,
  { json, body = json === undefined ? undefined : JSON.stringify(json), headers }: Sent,
): Promise<Answered> => {
  try {
    const response = await fetch(origin + path, {
      method,
      redirect: "manual",
      signal: AbortSignal.timeout(wait_ms),
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parsed(text) }
  } catch (error) {
    if (error instanceof DOMException && error.name === "TimeoutError") {
      throw new Error(`waited ${wait_ms} ms for ${method} ${path.slice(0, 200)}`, { cause: error })
    }
    if (error instanceof TypeError && error.message === "fetch failed") {
      return { status: 0, headers: new Headers(), text: String(error.cause), json: null }
    }
    throw error
  }
}

const imported = (module: string): string => `--import=${new URL(module, import.meta.url).href}`

interface Parts {
  readonly deployment: Deployment
  readonly context: Context.Context<UseCases>
  readonly bouncePort: number
}

export interface Tenant {
  readonly workspace: Effect.Success<ReturnType<Workspaces["Service"]["create"]>>["id"]
  readonly slug: string
  readonly authorization: string
  readonly call: Call
}

/** What else the machine does prolongs blocks: the smallest of so many tries counts. */
export const tries_max = 5
/** The control: how long an idle process is watched, and after how many inputs again. */
export const control_ms = 100
const inputs_per_control = 25

export class Weighed extends Data.Class<Parts> {
  #drawn = 0
  #measured = 0

  static async over(ending: Ending, owner: Redacted.Redacted): Promise<Weighed> {
    const bouncePort = await freePort()
    const deployment = await Deployment.over(ending, owner, {
      NODE_OPTIONS: [
        "--conditions=tentpole:source",
        ...["process/Meter.ts", "process/SnsCertificate.ts"].map(imported),
      ].join(" "),
      ADMIN_TOKEN: adminToken,
      BOUNCE_SMTP_PORT: String(bouncePort),
      POSTMARK_HOOK_LOGIN: postmark_login,
      SENDGRID_WEBHOOK_PUBLIC_KEY: sendgrid_key,
      MAILGUN_WEBHOOK_SIGNING_KEY: mailgun_key,
      SES_TOPIC_ARN: topic,
      TRUST_PROXY: "127.0.0.1",
      LOG_LEVEL: "error",
    })
    const context = await deployment.inside.run(Effect.context<UseCases>())
    const weighed = new Weighed({ deployment, context, bouncePort })
    await deployment.http?.up()
    return weighed
  }

  get api(): string {
    return `http://127.0.0.1:${this.deployment.port}`
  }

  get pages(): string {
    return `http://127.0.0.1:${this.deployment.pagesPort}`
  }

  /** The HTTP process; a new one if the last one ended. */
  async http(): Promise<ServiceProcess> {
    if (this.deployment.http?.alive !== true) await this.deployment.startHttp()
    const { http } = this.deployment
    if (http === undefined) throw new Error("there is no HTTP process")
    return http.up()
  }

  /** Ends the processes, so that they take no time from the next part. */
  async end(): Promise<void> {
    await this.deployment.killWorkers()
    await this.deployment.killHttp()
  }

  /** What the HTTP process did during the work. */
  async during<A>(work: () => Promise<A>): Promise<readonly [A, Reading]> {
    await read(await this.http())
    const done = await work()
    return [done, await read(await this.http())]
  }

  /** The same; work that exceeds a bar is repeated, and its smallest block counts. */
  async smallest<A>(
    report: { readonly exceeds: (reading: Reading) => boolean; readonly controls: (reading: Reading) => void },
    work: () => Promise<A>,
  ): Promise<readonly [A, Measured]> {
    if (this.#measured++ % inputs_per_control === 0) report.controls((await this.during(() => pause(control_ms)))[1])
    const [done, first] = await this.during(work)
    let reading = first
    for (let turn = 1; turn < tries_max && report.exceeds(reading); turn++) {
      reading = smallerOf(reading, (await this.during(work))[1])
    }
    const noise = report.exceeds(reading) ? await noise_ms(await this.http()) : 0
    return [done, { ...reading, first_ms: first.block_ms, noise_ms: noise }]
  }

  /** A new workspace, and calls with its key. */
  async tenant(): Promise<Tenant> {
    const slug = `tenant-${++this.#drawn}`
    const { id, raw } = await this.deployment.inside.run(
      Effect.gen(function* () {
        const { create, createKey } = yield* Workspaces
        const { id } = yield* create({ name: slug, slug, plan: "max", credits: 100_000 })
        const { raw } = yield* createKey(id, { name: slug })
        return { id, raw }
      }),
    )
    const authorization = `Bearer ${raw}`
    return { workspace: id, slug, authorization, call: this.callWith(authorization) }
  }

  callWith(authorization: string): Call {
    return (method, path, sent = {}) =>
      Effect.promise(() => send(this.api, method, path, { ...sent, headers: { authorization, ...sent.headers } }))
  }
}
