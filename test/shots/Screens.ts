// The screens of the console that are pictured, and the data that they show.
import { answered, type Service, until, visit } from "../support/Service.ts"

export interface Pictured {
  readonly name: string
  /** Its address for the made-up data. */
  readonly path: (made: MadeUp) => string
}

export interface MadeUp {
  readonly contactId: string
  readonly listId: string
  readonly flowId: string
  readonly tentId: string
}

const first = ["Ann", "Bob", "Carla", "Dmitri", "Eva", "Farid", "Grace", "Hana"]
const last = ["Lee", "Ray", "Conti", "Volkov", "Núñez", "Haddad", "Okafor", "Sato", "Weiß"]
const cities = ["Rome", "Berlin", "Paris", "Lisbon", "Oslo"]

/** A person of every second hour, so that times differ. */
const people = Array.from({ length: 90 }, (_, index) => {
  const [given = "", family = ""] = [first[index % first.length], last[index % last.length]]
  const plain = `${given}.${family}`.normalize("NFD").replaceAll(/[^A-Za-z.]/g, "")
  return {
    email: `${plain.toLowerCase()}${index}@example.org`,
    first_name: given,
    last_name: family,
    city: cities[index % cities.length],
    company: index % 3 === 0 ? "Bakery & Sons" : null,
    unsubscribed: index % 11 === 0,
  }
})

export const makeUp = async (service: Service): Promise<MadeUp> => {
  const { items } = await answered(service, "POST", "/v1/contacts", { items: people })
  const ids: ReadonlyArray<string> = items.map((item: { readonly contact_id: string }) => item.contact_id)
  const list = { name: "Bakery newsletter", kind: "static", description: "People who asked for it in the shop" }
  const { list_id } = await answered(service, "POST", "/v1/contact-lists", { ...list, contact_ids: ids.slice(0, 40) })
  const rules = { kind: "condition", source: "contact", field: "city", operator: "equals", value: "Rome" }
  await answered(service, "POST", "/v1/contact-lists", { name: "Romans", kind: "dynamic", rules })
  return {
    contactId: ids[1] ?? "",
    listId: list_id,
    flowId: await makeUpFlow(service, ids.slice(0, 12)),
    tentId: await makeUpPage(service),
  }
}

const opened = {
  kind: "condition",
  source: "email_step",
  nodeId: "hello",
  metric: "opened",
  operator: "has_activity",
}

/** An active flow with members. */
const makeUpFlow = async (service: Service, contactIds: ReadonlyArray<string>): Promise<string> => {
  const letter = { from_name: "Bakery", from_address: "hi@example.test", reply_to_email: "hi@example.test" }
  const { email_id } = await answered(service, "POST", "/v1/emails", { name: "Welcome", subject: "Welcome", ...letter })
  await answered(service, "POST", `/v1/emails/${email_id}/approve`, {})
  const { flow_id } = await answered(service, "POST", "/v1/email-flows", {
    name: "Welcome",
    triggers: [{ type: "contact_created" }],
    steps: [
      { type: "send_email", step_id: "hello", label: "Welcome", email_id, next_step_id: "pause" },
      { type: "wait", step_id: "pause", duration_amount: 3, duration_unit: "days", next_step_id: "which" },
      { type: "condition_check", step_id: "which", label: "Opened?", condition: opened, false_step_id: "again" },
      { type: "send_email", step_id: "again", label: "Once more", email_id },
    ],
  })
  await answered(service, "POST", `/v1/email-flows/${flow_id}/activate`)
  for (const id of contactIds) await answered(service, "POST", `/v1/email-flows/${flow_id}/contacts/${id}`, {})
  return flow_id
}

const visitor =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"

/** A published page with views. */
const makeUpPage = async (service: Service): Promise<string> => {
  const prompt = "A landing page for a spring bakery sale with 20% off, with a sign-up form"
  const { id } = await answered(service, "POST", "/v1/tents", { name: "Spring sale", prompt })
  await until("the page to be made", async () => {
    const { status } = await answered(service, "GET", `/v1/tents/${id}`)
    return status === "completed"
  })
  const { publication } = await answered(service, "POST", `/v1/tents/${id}/publish`, { custom_page_alias: "spring" })
  for (const referer of ["https://news.example.org/", "https://bread.example.com/", ""]) {
    for (const _ of first) await visit(publication.published_url, { "user-agent": visitor, referer })
  }
  return id
}

export const screens: ReadonlyArray<Pictured> = [
  { name: "contacts", path: () => "/contacts" },
  { name: "person", path: ({ contactId }) => `/contacts/${contactId}` },
  { name: "lists", path: () => "/lists" },
  { name: "list", path: ({ listId }) => `/lists/${listId}` },
  { name: "flows", path: () => "/flows" },
  { name: "flow", path: ({ flowId }) => `/flows/${flowId}` },
  { name: "flow-step", path: ({ flowId }) => `/flows/${flowId}?step=which` },
  { name: "flow-members", path: ({ flowId }) => `/flows/${flowId}/members` },
  { name: "pages", path: () => "/tents" },
  { name: "page", path: ({ tentId }) => `/tents/${tentId}` },
  { name: "page-code", path: ({ tentId }) => `/tents/${tentId}?tab=code` },
  { name: "page-traffic", path: ({ tentId }) => `/tents/${tentId}?tab=traffic` },
  { name: "pages-at-once", path: () => "/tents/bulk" },
]
