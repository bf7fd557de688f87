// Inputs beside the API description: pages and their forms, links in messages, provider webhooks, files of imports, messages.
import { Hooks } from "@tentpole/core/bounces/providers/Hooks"
import { multipart } from "@tentpole/http/test/fixtures/Multipart"
import type { Sent } from "@tentpole/http/test/fixtures/World"
import { Effect } from "effect"
import { request } from "node:http"
import { fillings, text } from "./Fillings.ts"
import { delivery, settled } from "./LargeMessages.ts"
import { hookInputs } from "./Providers.ts"
import type { Report } from "./Report.ts"
import { importVisits, messageVisits } from "./TenantInputs.ts"
import { draw, isChosen, minute_ms, type Plan, shuffled } from "./Sample.ts"
import { type Tenant, type Weighed, within } from "./Weighed.ts"

export interface Visit {
  readonly operation: string
  readonly parameter: string
  readonly filling: string
  readonly port: number
  readonly method: string
  readonly path: string
  readonly sent: Sent
  /** Not measured. It may replace the path and what is sent. */
  readonly prepare?: () => Promise<Partial<Pick<Visit, "path" | "sent">> | void>
}

/** Below the limits of submissions, unsubscriptions, and of headers. */
const form_bytes_max = 3_000_000
const unsubscription_bytes_max = 16_384
const head_bytes_max = 12_000

const field_max = 10_000
const fields_max = 98

const urlEncoded = (fields: ReadonlyArray<[string, string]>) => ({
  body: new URLSearchParams([...fields]).toString().slice(0, form_bytes_max),
  headers: { "content-type": "application/x-www-form-urlencoded" },
})

const filledWith = (filling: string, bytes_max: number): string => text(filling, { length_max: bytes_max, bytes_max })

const ofForms = ({ slug }: Tenant, tentId: string, port: number): ReadonlyArray<Visit> => {
  const host = `${slug}.localhost:${port}`
  const visit = (parameter: string, filling: string, sent: Sent): Visit => ({
    operation: "POST /f/<tent>/<form>",
    parameter,
    filling,
    port,
    method: "POST",
    path: `/f/${tentId}/sign-up`,
    sent: { ...sent, headers: { host, ...sent.headers } },
  })
  const email: [string, string] = ["email", "ann@example.com"]
  return fillings.flatMap((filling) => {
    const value = filledWith(filling, field_max)
    const many = Array.from({ length: fields_max }, (): [string, string] => ["first_name", value])
    return [
      visit("first_name", filling, urlEncoded([email, ["first_name", value]])),
      visit("first_name, 98 times", filling, urlEncoded([email, ...many])),
      visit("email", filling, urlEncoded([["email", value]])),
      visit("a name", filling, urlEncoded([email, [value, "x"]])),
      visit("the body", filling, {
        body: filledWith(filling, form_bytes_max),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }),
      visit("a part", filling, multipart(many.map(([name, bytes]) => ({ name, fileName: null, bytes })))),
      visit("the boundary", filling, {
        body: filledWith(filling, form_bytes_max),
        headers: { "content-type": "multipart/form-data; boundary=x" },
      }),
    ]
  })
}

const isHeader = (value: string): boolean => /^[\x21-\x7e]+$/.test(value)

const ofPages = ({ slug }: Tenant, port: number): ReadonlyArray<Visit> =>
  fillings.flatMap((filling) => {
    const value = filledWith(filling, head_bytes_max)
    const inPath = encodeURIComponent(filledWith(filling, 2_000)).slice(0, head_bytes_max).replace(/%.?$/, "")
    const visit = (parameter: string, path: string, headers: Readonly<Record<string, string>> = {}): Visit => ({
      operation: "GET /<page>",
      parameter,
      filling,
      port,
      method: "GET",
      path,
      sent: { headers: { host: `${slug}.localhost:${port}`, ...headers } },
    })
    const names = "user-agent referer accept-encoding accept-language if-none-match x-forwarded-for cookie host".split(
      " ",
    )
    return [
      visit("the path", `/${inPath}`),
      visit("the query", `/?a=${inPath}`),
      ...(isHeader(value) ? names.map((name) => visit(name, "/", { [name]: value })) : []),
    ]
  })

const ofLinks = (links: Awaited<ReturnType<typeof delivery>>["links"], port: number): ReadonlyArray<Visit> => {
  const { pathname } = new URL(links.unsubscribe)
  return fillings.flatMap((filling) => [
    ...["multipart/form-data; boundary=x", "application/x-www-form-urlencoded"].map((type) => ({
      operation: "POST /u/<token>",
      parameter: `the body as ${type}`,
      filling,
      port,
      method: "POST",
      path: pathname,
      sent: {
        body: `content-disposition:form-data;name=${filledWith(filling, unsubscription_bytes_max - 100)}`,
        headers: { "content-type": type },
      },
    })),
    ...["o", "c", "u", "v"].map((kind) => ({
      operation: `GET /${kind}/<token>`,
      parameter: "the token",
      filling,
      port,
      method: "GET",
      path: `/${kind}/${encodeURIComponent(filledWith(filling, 1_000))}`,
      sent: {},
    })),
  ])
}

const ofHooks = async (weighed: Weighed): Promise<ReadonlyArray<Visit>> => {
  const { deployment } = weighed
  const { workspace } = await weighed.tenant()
  const urls = await deployment.inside.run(Effect.map(Hooks, (it) => it.addresses(workspace)))
  return hookInputs.map(({ call, filling, parameter, provider }) => ({
    operation: `POST /hooks/${provider}/<secret>`,
    parameter,
    filling,
    port: deployment.port,
    method: "POST",
    path: new URL(urls.find((each) => each.provider === provider)?.url ?? "").pathname,
    sent: {},
    prepare: () => Promise.resolve({ sent: call() }),
  }))
}

/** An answer to any bytes, with the given host; the status 0 if the connection was closed. */
const answerTo = ({
  method,
  path,
  port,
  sent: { body, headers },
}: Visit): Promise<{ status: number; length: number }> =>
  new Promise((resolve) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
    const options = { host: "127.0.0.1", port, method, path, headers: { ...length, ...headers } }
    const sending = request(options, (response) => {
      let received = 0
      response.on("data", (chunk: Buffer) => (received += chunk.length))
      response.once("close", () => resolve({ status: response.statusCode ?? 0, length: received }))
    })
    sending.once("error", () => resolve({ status: 0, length: 0 }))
    sending.end(body)
  })

/** A page that refuses a form names each issue. */
const page_length_max = 2 ** 18

export const tryVisitors = async (weighed: Weighed, report: Report, plan: Plan): Promise<void> => {
  const { pagesPort } = weighed.deployment
  const { estate, tenant } = await settled(weighed, "submissions")
  const { links } = await delivery(weighed, await settled(weighed, "blasts"))
  const visits = [
    ...ofForms(tenant, estate["tentId"] ?? "", pagesPort),
    ...ofPages(tenant, pagesPort),
    ...ofLinks(links, pagesPort),
    ...(await ofHooks(weighed)),
    ...(await importVisits(weighed)),
    ...(await messageVisits(weighed)),
  ]
  const chosen = shuffled(draw(plan), visits).filter(isChosen).slice(0, plan.others_max)
  report.leftOut(visits.length - chosen.length)
  const end = Date.now() + plan.minutes_max.visitors * minute_ms
  for (const [index, visit] of chosen.entries()) {
    if (Date.now() > end) return report.leftOut(chosen.length - index)
    // Each visit comes from another address: an address may send few forms.
    const forwarded = { "x-forwarded-for": `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` }
    const { filling, operation, parameter } = visit
    const what = `${operation} with ${parameter}: ${filling}`
    const prepared = { ...visit, ...(await visit.prepare?.()) }
    const sent = { ...prepared.sent, headers: { ...forwarded, ...prepared.sent.headers } }
    const tried = await weighed
      .smallest(report, () => within(what, answerTo({ ...prepared, sent })))
      .catch((error: unknown) => {
        report.wrong.push(String(error))
        return null
      })
    if (tried === null) continue
    const [{ length, status }, reading] = tried
    report.add({ process: "http", operation, parameter, filling, status, ...reading })
    if (status >= 500) report.wrong.push(`${what}: ${status}`)
    if (status >= 400 && length > page_length_max) report.wrong.push(`${what}: ${status} has ${length} bytes`)
  }
}
