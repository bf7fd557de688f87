// Inputs of strangers that no API description has: pages and their forms, links in messages, provider webhooks.
import { Hooks } from "@tentpole/core/bounces/providers/Hooks"
import { BlastId, DeliveryId } from "@tentpole/core/kernel/Ids"
import { Links } from "@tentpole/core/rendering/Links"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { rooms } from "@tentpole/http/test/attacks/Rooms"
import { multipart } from "@tentpole/http/test/fixtures/Multipart"
import type { Sent } from "@tentpole/http/test/fixtures/World"
import { Effect } from "effect"
import { request } from "node:http"
import { fillings, text, values } from "./Fillings.ts"
import type { Report } from "./Report.ts"
import { draw, minute_ms, type Plan, shuffled } from "./Sample.ts"
import { type Tenant, type Weighed, within } from "./Weighed.ts"

interface Visit {
  readonly operation: string
  readonly parameter: string
  readonly filling: string
  readonly port: number
  readonly method: string
  readonly path: string
  readonly sent: Sent
}

export const settled = async (weighed: Weighed, name: string) => {
  const room = rooms.find((each) => each.name === name)
  if (room === undefined) throw new Error(`there is no room ${name}`)
  const tenant = await weighed.tenant()
  const { estate } = await weighed.deployment.inside.run(room.settle(tenant, "ours", weighed.context))
  return { tenant, estate }
}

/** A delivery of a blast that waits for a worker. */
export const delivery = async (weighed: Weighed) => {
  const { estate, tenant } = await settled(weighed, "blasts")
  const { deployment } = weighed
  const blast = BlastId.make(estate["blastId"] ?? "")
  await deployment.inside.run(tenant.call("POST", `/v1/email-blasts/${blast}/send-now`, { json: {} }))
  await deployment.inside.run(Effect.flatMap(Deliveries, (it) => it.fixAudience(tenant.workspace, blast)))
  const [row] = await deployment.inside.asOwner<{ readonly delivery_id: string }>(
    "select delivery_id from delivery where workspace_id = $1::uuid limit 1",
    [tenant.workspace],
  )
  const deliveryId = DeliveryId.make(row?.delivery_id ?? "")
  const links = await deployment.inside.run(
    Effect.map(Links, (it) => it.of({ workspaceId: tenant.workspace, deliveryId })),
  )
  return { tenant, links }
}

/** Below the limits of submissions, unsubscriptions, hooks, and of headers. */
const form_bytes_max = 3_000_000
const unsubscription_bytes_max = 16_384
const hook_bytes_max = 9_900_000
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

const ofHooks = (url: string, login: string, port: number): ReadonlyArray<Visit> => {
  const visit = (parameter: string, filling: string, body: string): Visit => ({
    operation: "POST /hooks/postmark/<secret>",
    parameter,
    filling,
    port,
    method: "POST",
    path: new URL(url).pathname,
    sent: { body, headers: { authorization: `Basic ${Buffer.from(login).toString("base64")}` } },
  })
  return [
    ...Object.entries(values).map(([filling, make]) => visit("the body", filling, make(hook_bytes_max))),
    ...fillings.map((filling) =>
      visit(
        "Description",
        filling,
        JSON.stringify({ RecordType: "Bounce", Description: filledWith(filling, hook_bytes_max - 100) }),
      ),
    ),
  ]
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
  const { port, pagesPort } = weighed.deployment
  const { estate, tenant } = await settled(weighed, "submissions")
  const { links, tenant: sender } = await delivery(weighed)
  const urls = await weighed.deployment.inside.run(Effect.map(Hooks, (it) => it.addresses(sender.workspace)))
  const postmark = urls.find(({ provider }) => provider === "postmark")?.url ?? ""
  const visits = [
    ...ofForms(tenant, estate["tentId"] ?? "", pagesPort),
    ...ofPages(tenant, pagesPort),
    ...ofLinks(links, pagesPort),
    ...ofHooks(postmark, weighed.hookLogin, port),
  ]
  const chosen = shuffled(draw(plan), visits).slice(0, plan.others_max)
  report.leftOut(visits.length - chosen.length)
  const end = Date.now() + plan.minutes_max.visitors * minute_ms
  for (const [index, visit] of chosen.entries()) {
    if (Date.now() > end) return report.leftOut(chosen.length - index)
    // Each visit comes from another address: an address may send few forms.
    const forwarded = { "x-forwarded-for": `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` }
    const sent = { ...visit.sent, headers: { ...forwarded, ...visit.sent.headers } }
    const { filling, operation, parameter } = visit
    const what = `${operation} with ${parameter}: ${filling}`
    const tried = await weighed
      .smallest(report, () => within(what, answerTo({ ...visit, sent })))
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
