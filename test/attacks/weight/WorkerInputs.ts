// Inputs that a worker reads: prompts, import files, messages with the values of contacts, returned mail.
import { once } from "node:events"
import { connect } from "node:net"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import { pause } from "../../support/Service.ts"
import { fillings, some, text } from "./Fillings.ts"
import { importFiles, notationFiles, reasons } from "./ImportFiles.ts"
import { calling, delivery, fillContact, settled, tokenHtmls, value_lengths, writeTokens } from "./LargeMessages.ts"
import type { Report } from "./Report.ts"
import { draw, isChosen, minute_ms, type Plan, shuffled } from "./Sample.ts"
import {
  control_ms,
  noise_ms,
  read,
  type Reading,
  smallerOf,
  type Tenant,
  tries_max,
  type Weighed,
  within,
} from "./Weighed.ts"

interface Work {
  readonly operation: string
  readonly parameter: string
  readonly filling: string
  /** Returns when the worker has all of it. */
  readonly begin: () => Promise<void>
}

const filledWith = (filling: string, length_max: number): string => text(filling, { length_max, bytes_max: Infinity })

const prompts = (weighed: Weighed, tenant: Tenant): ReadonlyArray<Work> => {
  const ask = calling(weighed, tenant)
  return fillings.flatMap((filling) => [
    {
      operation: "generation of an email",
      parameter: "prompt",
      filling,
      begin: () =>
        ask("POST", "/v1/emails", { json: { name: "x", prompt: `An email about ${filledWith(filling, 9_900)}` } }),
    },
    {
      operation: "generation of a page",
      parameter: "prompt",
      filling,
      begin: () =>
        ask("POST", "/v1/tents", {
          json: { name: "x", prompt: `A page with a form for ${filledWith(filling, 19_900)}` },
        }),
    },
  ])
}

const file_length = 5 * 2 ** 20
/** Of each kind of file and of HTML. */
const fillings_count = 10

const imports = (weighed: Weighed, tenant: Tenant): ReadonlyArray<Work> => {
  const ask = calling(weighed, tenant)
  const started = async (file: string, as: "contacts" | "suppressions" = "contacts") => {
    const session = await ask("POST", "/v1/contacts/imports", { json: { source: "upload", file_name: "people.csv" } })
    await fetch(session.upload_url, { method: "PUT", body: file, headers: { "content-type": "text/csv" } })
    const mappings = [
      { header: "Email", target_field: "email" },
      ...(as === "contacts" ? [{ header: "Name", target_field: "first_name" }] : []),
    ]
    await ask("POST", `/v1/contacts/imports/${session.import_session_id}/execute`, { json: { as, mappings } })
  }
  const files = [
    ...Object.entries(importFiles).flatMap(([parameter, make]) =>
      some(fillings, fillings_count, parameter).map((filling) => ({
        parameter,
        filling,
        make: () => make(filling, file_length),
      })),
    ),
    ...Object.entries(notationFiles).map(([parameter, make]) => ({
      parameter,
      filling: "equal values",
      make: () => make(file_length),
    })),
  ]
  return [
    ...files.map(({ filling, make, parameter }) => ({
      operation: "import",
      parameter,
      filling,
      begin: () => started(make()),
    })),
    ...some(fillings, fillings_count, "suppressions").map((filling) => ({
      operation: "import of suppressions",
      parameter: "1,000 columns of reasons",
      filling,
      begin: () => started(reasons(filling, file_length), "suppressions"),
    })),
  ]
}

/** Connections to the mail server, and some more. */
const recipients_max = 25

const messages = (weighed: Weighed): ReadonlyArray<Work> =>
  Object.entries(tokenHtmls).flatMap(([name, html]) =>
    some(fillings, fillings_count, name).flatMap((filling) =>
      value_lengths.map((length) => ({
        operation: "message",
        parameter: `${name}, values of ${length}`,
        filling,
        begin: () => launched(weighed, html, { filling, length }),
      })),
    ),
  )

const large = (weighed: Weighed): Work => ({
  operation: "message",
  parameter: `${recipients_max} recipients with values of 10000`,
  filling: "letters",
  begin: () =>
    launched(weighed, (field) => `<p>${field}</p>`.repeat(400), { filling: "letters", length: 10_000 }, recipients_max),
})

/** Sends a blast whose messages have these tokens and values. */
const launched = async (
  weighed: Weighed,
  html: (field: string) => string,
  values: { readonly filling: string; readonly length: number },
  recipients = 1,
): Promise<void> => {
  const { estate, tenant } = await settled(weighed, "blasts")
  const { contact_id: contactId = "", blastId, field, listId } = estate
  const ask = calling(weighed, tenant)
  await fillContact(weighed, tenant, { contactId, field }, values)
  if (recipients > 1) {
    const custom_fields = { [field]: filledWith(values.filling, values.length) }
    const items = Array.from({ length: recipients - 1 }, (_, index) => ({
      email: `r${index}@example.com`,
      custom_fields,
    }))
    const created = await ask("POST", "/v1/contacts", { json: { items } })
    const contact_ids = created.items.map((item: { readonly contact_id: string }) => item.contact_id)
    await ask("POST", `/v1/contact-lists/${listId}/contacts`, { json: { contact_ids } })
  }
  await writeTokens(weighed, tenant, estate, html)
  await ask("POST", `/v1/email-blasts/${blastId}/send-now`)
}

const mail_fillings_count = 20
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
  const { links } = await delivery(weighed, await settled(weighed, "blasts"))
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
  return Object.entries(mails).flatMap(([parameter, make]) =>
    some(fillings, mail_fillings_count, parameter).map((filling) => ({
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
    large(weighed),
    ...(await returnedMail(weighed)),
  ]
  const chosen = shuffled(draw(plan), works).filter(isChosen).slice(0, plan.others_max)
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
    const noise = report.exceeds(reading) ? await noise_ms(worker) : 0
    const measured = { ...reading, first_ms: first.block_ms, noise_ms: noise }
    report.add({ process: "worker", operation, parameter, filling, status: null, ...measured })
  }
}
