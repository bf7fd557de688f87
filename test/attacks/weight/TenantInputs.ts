// Inputs of several requests: files of imports and their previews, and messages that the values of a contact fill.
import type { Sent } from "@tentpole/http/test/fixtures/World"
import { fillings, some } from "./Fillings.ts"
import { importFiles, notationFiles } from "./ImportFiles.ts"
import { calling, delivery, fillContact, settled, tokenHtmls, value_lengths, writeTokens } from "./LargeMessages.ts"
import type { Visit } from "./Visitors.ts"
import type { Tenant, Weighed } from "./Weighed.ts"

/** A preview reads 200 rows. */
const file_length = 20 * 2 ** 20

/** Of each kind of file and of HTML. */
const fillings_count = 15

const authorizationOf = ({ authorization }: Tenant): Sent => ({
  headers: { authorization, "content-type": "application/json" },
})

export const importVisits = async (weighed: Weighed): Promise<ReadonlyArray<Visit>> => {
  const { tenant } = await settled(weighed, "imports")
  const ask = calling(weighed, tenant)
  const { port } = weighed.deployment
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
  return files.flatMap(({ filling, make, parameter }) => {
    const begin = () => ask("POST", "/v1/contacts/imports", { json: { source: "upload", file_name: "people.csv" } })
    const upload = async () => {
      const { upload_url } = await begin()
      const { pathname, search } = new URL(upload_url)
      return { path: pathname + search, sent: { body: make(), headers: { "content-type": "text/csv" } } }
    }
    const preview = async () => {
      const { import_session_id, upload_url } = await begin()
      await fetch(upload_url, { method: "PUT", body: make(), headers: { "content-type": "text/csv" } })
      return { path: `/v1/contacts/imports/${import_session_id}/preview`, sent: authorizationOf(tenant) }
    }
    return [
      { operation: "PUT <upload>", parameter, filling, port, method: "PUT", path: "", sent: {}, prepare: upload },
      {
        operation: "POST <preview of a file>",
        parameter,
        filling,
        port,
        method: "POST",
        path: "",
        sent: {},
        prepare: preview,
      },
    ]
  })
}

/** A blast whose email has these tokens, and the requests that render it. */
const rendered = async (weighed: Weighed, html: (field: string) => string) => {
  const room = await settled(weighed, "blasts")
  const sent = await settled(weighed, "blasts")
  for (const { estate, tenant } of [room, sent]) await writeTokens(weighed, tenant, estate, html)
  const { links } = await delivery(weighed, sent)
  return { room, sent, links }
}

export const messageVisits = async (weighed: Weighed): Promise<ReadonlyArray<Visit>> => {
  const { pagesPort, port } = weighed.deployment
  const all = await Promise.all(
    Object.entries(tokenHtmls).map(async ([name, html]) => ({ name, ...(await rendered(weighed, html)) })),
  )
  return all.flatMap(({ links, name, room, sent }) =>
    some(fillings, fillings_count, name).flatMap((filling) =>
      value_lengths.flatMap((length): ReadonlyArray<Visit> => {
        const fill = ({ estate, tenant }: typeof room) =>
          fillContact(
            weighed,
            tenant,
            { contactId: estate["contact_id"] ?? "", field: estate["field"] },
            { filling, length },
          )
        const of = { parameter: `${name}, values of ${length}`, filling, sent: {}, port, method: "GET" }
        const own = { ...of, sent: authorizationOf(room.tenant) }
        const { blastId, contact_id, emailId } = room.estate
        const prepare = () => fill(room)
        return [
          {
            ...own,
            operation: "GET <preview of an email>",
            path: `/v1/emails/${emailId}/preview?contact_id=${contact_id}`,
            prepare,
          },
          {
            ...own,
            operation: "POST <dry run of a blast>",
            method: "POST",
            path: `/v1/email-blasts/${blastId}/dry-run`,
            sent: { ...own.sent, body: "{}" },
            prepare,
          },
          ...[links.view, links.click(0)].map((url) => ({
            ...of,
            port: pagesPort,
            operation: `GET ${new URL(url).pathname.slice(0, 3)}<token> of a large message`,
            path: new URL(url).pathname,
            prepare: () => fill(sent),
          })),
        ]
      }),
    ),
  )
}
