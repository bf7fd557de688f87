// Data with the longest words that people write: names of 100 characters without a space.
import { approvedEmail, letterFrom } from "../support/Blast.ts"
import { callsOf, type Service } from "../support/Service.ts"

const name = "Donaudampfschiff".repeat(7).slice(0, 100)
/** Of topics and fields. */
const label = name.slice(0, 80)
const email = `${name.slice(0, 60)}@${name.slice(0, 50)}.example.org`.toLowerCase()

/** Creates the data. Returns the addresses of the screens that show it. */
export const longNames = async (service: Service): Promise<ReadonlyArray<string>> => {
  const call = callsOf(service)
  await call("POST", "/v1/contact-fields", { display_name: label, api_name: "long", value_type: "string" })
  await call("POST", "/v1/topics", { name: label, default_subscription: "unsubscribed" })
  await call("POST", "/v1/suppressions", { email, reason: "complaint" })
  const item = { email, first_name: name, city: name, company: name }
  const { items } = await call("POST", "/v1/contacts", { items: [item] })
  const { contact_id } = items[0]
  const list = { name, kind: "static", description: name, contact_ids: [contact_id] }
  const { list_id } = await call("POST", "/v1/contact-lists", list)
  const { email_id } = await call("POST", "/v1/emails", {
    name,
    subject: name,
    preview_text: name,
    html: `<p>${name}</p>`,
  })
  const { blast_id } = await call("POST", "/v1/email-blasts", { name })
  await call("PUT", `/v1/email-blasts/${blast_id}/audience`, { source: "existing", list_id })
  const approved = await approvedEmail(call, letterFrom("bakery@example.test", { subject: name }), name)
  await call("PUT", `/v1/email-blasts/${blast_id}/email`, { source: "existing", email_id: approved })
  const { flow_id } = await call("POST", "/v1/email-flows", { name, description: name })
  const { id } = await call("POST", "/v1/tents", { name, html: `<p>${name}</p>` })
  const url = `https://${name.slice(0, 60)}.example.org/${name}`
  const { endpoint_id } = await call("POST", "/v1/webhook-endpoints", { url, event_types: ["*"], description: name })
  return [
    "/home",
    "/contacts",
    "/lists",
    "/emails",
    "/blasts",
    "/flows",
    "/tents",
    "/webhooks",
    "/suppressions",
    "/settings/fields",
    `/contacts/${contact_id}`,
    `/lists/${list_id}`,
    `/emails/${email_id}`,
    `/blasts/${blast_id}?step=review`,
    `/flows/${flow_id}`,
    `/tents/${id}`,
    `/webhooks/${endpoint_id}?tab=settings`,
  ]
}
