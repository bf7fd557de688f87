// Inputs that a worker reads: prompts, import files, messages with the values of contacts, returned mail.
import { once } from "node:events"
import { connect } from "node:net"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import { pause } from "../../support/Service.ts"
import { fillings, text } from "./Fillings.ts"
import type { Report } from "./Report.ts"
import { draw, minute_ms, type Plan, shuffled } from "./Sample.ts"
import { delivery, settled } from "./Visitors.ts"
import { control_ms, read, type Reading, smallerOf, type Tenant, tries_max, type Weighed, within } from "./Weighed.ts"

interface Work {
  readonly operation: string
  readonly parameter: string
  readonly filling: string
  /** Returns when the worker has all of it. */
  readonly begin: () => Promise<void>
}

const filledWith = (filling: string, length_max: number): string => text(filling, { length_max, bytes_max: Infinity })

const calls =
  (weighed: Weighed, { call }: Tenant) =>
  async (path: string, json: object) => {
    const answered = await weighed.deployment.inside.run(call("POST", path, { json }))
    if (answered.status >= 300) throw new Error(`${path} answered ${answered.status}: ${answered.text.slice(0, 500)}`)
    return answered.json
  }

const prompts = (weighed: Weighed, tenant: Tenant): ReadonlyArray<Work> => {
  const post = calls(weighed, tenant)
  return fillings.flatMap((filling) => [
    {
      operation: "generation of an email",
      parameter: "prompt",
      filling,
      begin: () => post("/v1/emails", { name: "x", prompt: `An email about ${filledWith(filling, 9_900)}` }),
    },
    {
      operation: "generation of a page",
      parameter: "prompt",
      filling,
      begin: () => post("/v1/tents", { name: "x", prompt: `A page with a form for ${filledWith(filling, 19_900)}` }),
    },
  ])
}

const file_length = 5 * 2 ** 20
const cell = (value: string): string => `"${value.replaceAll('"', '""')}"`

const imports = (weighed: Weighed, tenant: Tenant): ReadonlyArray<Work> => {
  const post = calls(weighed, tenant)
  const started = async (file: string, as: "contacts" | "suppressions" = "contacts") => {
    const session = await post("/v1/contacts/imports", { source: "upload", file_name: "people.csv" })
    await fetch(session.upload_url, { method: "PUT", body: file, headers: { "content-type": "text/csv" } })
    const mappings = [
      { header: "Email", target_field: "email" },
      ...(as === "contacts" ? [{ header: "Name", target_field: "first_name" }] : []),
    ]
    await post(`/v1/contacts/imports/${session.import_session_id}/execute`, { as, mappings })
  }
  const files: Readonly<Record<string, (filling: string) => string>> = {
    "a cell of 400 KB in each row": (filling) => {
      const row = `a@example.com,${cell(filledWith(filling, 400_000))}\n`
      return `Email,Name\n${row.repeat(Math.max(1, Math.floor(file_length / row.length)))}`
    },
    "many short cells": (filling) => {
      const row = `${cell(filledWith(filling, 40))},${cell(filledWith(filling, 40))}\n`
      return `Email,Name\n${row.repeat(Math.floor(file_length / row.length))}`
    },
    "no quotes": (filling) => `Email,Name\n${filledWith(filling, file_length)}`,
    "2,000 columns": (filling) => {
      const names = Array.from({ length: 1_998 }, () => cell(filledWith(filling, 60)))
      const row = `b@example.com,x${",y".repeat(1_998)}\n`
      return `Email,Name,${names.join()}\n${row.repeat(500)}`
    },
  }
  // Names that differ in punctuation only are the same column for the reader of reasons.
  const reasons = (filling: string) => {
    const names = Array.from({ length: 1_000 }, (_, index) => cell(`Reason${".".repeat(index)}`))
    const row = `c@example.com${`,${cell(filledWith(filling, 90))}`.repeat(names.length)}\n`
    return `Email,${names.join()}\n${row.repeat(Math.max(1, Math.floor(file_length / row.length)))}`
  }
  return fillings.flatMap((filling) => [
    ...Object.entries(files).map(([parameter, make]) => ({
      operation: "import",
      parameter,
      filling,
      begin: () => started(make(filling)),
    })),
    {
      operation: "import of suppressions",
      parameter: "1,000 columns of reasons",
      filling,
      begin: () => started(reasons(filling), "suppressions"),
    },
  ])
}

const messages = (weighed: Weighed): ReadonlyArray<Work> =>
  fillings.map((filling) => ({
    operation: "message",
    parameter: "values of a contact",
    filling,
    begin: async () => {
      const { estate, tenant } = await settled(weighed, "blasts")
      const run = weighed.deployment.inside.run
      const names = ["first_name", "last_name", "company", "job_title", "city"]
      const values = Object.fromEntries(names.map((name) => [name, filledWith(filling, 255)]))
      const long = { custom_fields: { [estate.field]: filledWith(filling, 10_000) } }
      await run(tenant.call("PATCH", `/v1/contacts/${estate["contact_id"]}`, { json: { ...values, ...long } }))
      const tokens = `<p title="{{contact.first_name}}">{{contact.${estate.field}}} {{contact.company | x}}</p>`.repeat(
        900,
      )
      const email = `/v1/emails/${estate["emailId"]}`
      await run(tenant.call("POST", `${email}/unapprove`))
      await run(tenant.call("PUT", `${email}/content`, { json: { html: tokens } }))
      await run(tenant.call("PATCH", email, { json: { subject: "{{contact.first_name}} ".repeat(40) } }))
      await run(tenant.call("POST", `${email}/approve`, { json: {} }))
      await run(tenant.call("POST", `/v1/email-blasts/${estate["blastId"]}/send-now`, { json: {} }))
    },
  }))

/** Below the limit of 25 MB. */
const mail_length = 20 * 2 ** 20

/** Speaks SMTP without waiting for anything but the last reply. */
const hand = async (port: number, to: string, message: string): Promise<void> => {
  const socket = connect(port, "127.0.0.1")
  const ended = once(socket, "close")
  socket.on("error", () => undefined)
  socket.on("data", () => undefined)
  const body = message.replaceAll(/^\./gm, "..")
  for (const line of ["EHLO a.test", "MAIL FROM:<>", `RCPT TO:<${to}>`, "DATA"]) {
    await once(socket, "data").catch(() => undefined)
    socket.write(`${line}\r\n`)
  }
  await once(socket, "data").catch(() => undefined)
  socket.write(`${body}\r\n.\r\n`)
  await Promise.race([once(socket, "data").catch(() => undefined), ended])
  socket.end("QUIT\r\n")
  await ended
}

const returnedMail = async (weighed: Weighed): Promise<ReadonlyArray<Work>> => {
  const { links } = await delivery(weighed)
  const to = links.returnPath("example.test")
  const head = "From: mailer-daemon@a.test\r\nSubject: Undelivered Mail Returned to Sender\r\n"
  const report = 'Content-Type: multipart/report; report-type=delivery-status; boundary="x"\r\n\r\n'
  const status = "--x\r\nContent-Type: message/delivery-status\r\n\r\n"
  const mails: Readonly<Record<string, (filling: string) => string>> = {
    "the text": (filling) => `${head}\r\n${filledWith(filling, mail_length)}`,
    "the subject": (filling) => `Subject: ${filledWith(filling, 2 ** 20)}\r\n${head}\r\nx`,
    "an address": (filling) => `To: ${filledWith(filling, 2 ** 20)}\r\n${head}\r\nx`,
    "the content type": (filling) => `Content-Type: ${filledWith(filling, 2 ** 20)}\r\n${head}\r\nx`,
    "the delivery status": (filling) => `${head}${report}${status}x:${filledWith(filling, mail_length)}\r\n--x--`,
    "the HTML": (filling) => `${head}Content-Type: text/html\r\n\r\n${filledWith(filling, mail_length)}`,
    "many parts": (filling) => `${head}${report}${`--x\r\n\r\n${filledWith(filling, 10)}\r\n`.repeat(100_000)}--x--`,
  }
  return fillings.flatMap((filling) =>
    Object.entries(mails).map(([parameter, make]) => ({
      operation: "returned mail",
      parameter,
      filling,
      begin: () => hand(weighed.bouncePort, to, make(filling)),
    })),
  )
}

/** The work that is due and that no worker has tried yet, or that one tries now. */
const untried = async ({ deployment }: Weighed): Promise<ReadonlyArray<string>> => {
  const rows = await deployment.inside.asOwner<{ readonly work: string }>(
    `select distinct type as work from jobs.job_queue
       where state in ('ready', 'running') or (state = 'later' and attempts = 0 and due_at <= now())
     union select 'message' from delivery where state = 'queued'`,
  )
  return rows.map(({ work }) => work)
}

/** Waits until the worker has tried everything that is due; returns what is left in the end. */
const finish = async (weighed: Weighed, worker: ServiceProcess, limit_ms: number): Promise<ReadonlyArray<string>> => {
  const end = Date.now() + limit_ms
  for (;;) {
    const left = await untried(weighed)
    if (left.length === 0 || !worker.alive || Date.now() > end) return left
    await pause(poll_ms)
  }
}

const poll_ms = 20
const work_ms = 20_000

interface Try {
  readonly weighed: Weighed
  readonly report: Report
  readonly worker: ServiceProcess
}

/** What the worker did for a work; null if the service refused to begin it. */
const tryOnce = async ({ report, weighed, worker }: Try, { begin, ...work }: Work): Promise<Reading | null> => {
  const what = `${work.operation} with ${work.parameter}: ${work.filling}`
  await read(worker)
  try {
    await within(what, begin())
  } catch (error) {
    report.refused(`${what}: ${String(error).slice(0, 200)}`)
    return null
  }
  const left = await finish(weighed, worker, work_ms)
  if (left.length > 0) report.wrong.push(`waited ${work_ms} ms for ${left.join(", ")}, after ${what}`)
  return read(worker)
}

export const tryWorker = async (weighed: Weighed, report: Report, plan: Plan): Promise<void> => {
  const { deployment } = weighed
  const { tenant } = await settled(weighed, "imports")
  const works = [
    ...prompts(weighed, tenant),
    ...imports(weighed, tenant),
    ...messages(weighed),
    ...(await returnedMail(weighed)),
  ]
  const chosen = shuffled(draw(plan), works).slice(0, plan.others_max)
  report.leftOut(works.length - chosen.length)
  let worker = await (await deployment.startWorker()).up()
  const before = await finish(weighed, worker, work_ms)
  if (before.length > 0) report.wrong.push(`waited ${work_ms} ms for ${before.join(", ")}, before the first input`)
  await read(worker)
  await pause(control_ms)
  const idle = await read(worker)
  report.idles("worker", idle.rss_bytes)
  report.controls(idle)
  const end = Date.now() + plan.minutes_max.worker * minute_ms
  for (const [index, work] of chosen.entries()) {
    if (Date.now() > end) return report.leftOut(chosen.length - index)
    if (!worker.alive) worker = await (await deployment.startWorker()).up()
    const first = await tryOnce({ weighed, report, worker }, work)
    let reading = first
    for (let turn = 1; turn < tries_max && worker.alive && reading !== null && report.exceeds(reading); turn++) {
      const again = await tryOnce({ weighed, report, worker }, work)
      if (again === null) break
      reading = smallerOf(reading, again)
    }
    if (first === null || reading === null) continue
    const { filling, operation, parameter } = work
    report.add({ process: "worker", operation, parameter, filling, status: null, ...reading, first_ms: first.block_ms })
  }
}
