// The screens of the console that are pictured, and the data that they show.
import type { Page } from "playwright-core"
import { approvedEmail, letterFrom } from "../support/Blast.ts"
import { type Call, callsOf, type Json, pause, type Service, until, visit } from "../support/Service.ts"

export interface Pictured {
  readonly name: string
  /** Its address for the made-up data. */
  readonly path: (made: MadeUp) => string
  /** Before the picture. */
  readonly steps?: (page: Page) => Promise<unknown>
  /** Whether the documentation shows it. */
  readonly isInDocs?: boolean
}

export interface MadeUp {
  readonly contactId: string
  readonly listId: string
  readonly segmentId: string
  readonly topicId: string
  readonly emailId: string
  readonly draftEmailId: string
  readonly emailTemplateId: string
  readonly tentTemplateId: string
  readonly blastId: string
  readonly draftBlastId: string
  readonly scheduledBlastId: string
  readonly flowId: string
  readonly draftFlowId: string
  readonly tentId: string
  readonly sessionId: string
  readonly domainId: string
  readonly endpointId: string
  readonly deliveryId: string
}

const adminToken = "shots_0123456789_0123456789_0123456789"

/** Settings of the service whose screens are pictured. */
export const settings = { ADMIN_TOKEN: adminToken }

const first = ["Ann", "Bob", "Carla", "Dmitri", "Eva", "Farid", "Grace", "Hana"]
const last = ["Lee", "Ray", "Conti", "Volkov", "Núñez", "Haddad", "Okafor", "Sato", "Weiß"]
const cities = ["Rome", "Berlin", "Paris", "Lisbon", "Oslo"]
const people_count = 900
/** Contacts of one request. */
const items_max = 100
/** An open within two seconds of the sending counts as a machine's. */
const machine_open_ms = 2_500
const week_ms = 604_800_000

const people = Array.from({ length: people_count }, (_, index) => {
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

const condition = (field: string, value: string) => ({
  kind: "condition",
  source: "contact",
  field,
  operator: "equals",
  value,
})

const romans = {
  kind: "group",
  operator: "and",
  conditions: [
    condition("city", "Rome"),
    {
      kind: "group",
      operator: "or",
      conditions: [
        condition("company", "Bakery & Sons"),
        {
          kind: "condition",
          source: "activity",
          activity_type: "email_opened",
          operator: "has_activity",
          time_window: { amount: 30, unit: "day" },
        },
      ],
    },
  ],
}

const letter = `<html><body style="font-family:sans-serif;max-width:34rem;margin:auto">
<h1>Spring sale</h1><p>Hello {{contact.first_name|friend}},</p>
<p>the first rhubarb tarts are in the oven. Until Sunday, <a href="https://example.com/shop">all of them cost 20 % less</a>.</p>
<p><a href="https://example.com/terms">Terms</a></p></body></html>`

/** Opens and clicks of some of the messages, as in the inbox. */
const engage = async (call: Call, messages_count: number) => {
  const { messages } = await call("GET", `/v1/outbox?limit=${messages_count}`)
  for (const [index, { message_id }] of messages.entries()) {
    const send = (event: Json) => call("POST", `/v1/outbox/${message_id}/events`, event)
    if (index % 2 === 0) await send({ type: "open" })
    if (index % 5 === 0) await send({ type: "click", link_index: 0 })
    if (index === 7) await send({ type: "bounce" })
  }
}

const sentBlast = async (call: Call, list_id: string) => {
  const { blast_id } = await call("POST", "/v1/email-blasts", { name: "Spring sale" })
  await call("PUT", `/v1/email-blasts/${blast_id}/audience`, { source: "existing", list_id })
  const email_id = await approvedEmail(
    call,
    letterFrom("bakery@example.test", { subject: "Rhubarb tarts, 20 % off", html: letter }),
  )
  await call("PUT", `/v1/email-blasts/${blast_id}/email`, { source: "existing", email_id })
  await call("POST", `/v1/email-blasts/${blast_id}/send-now`, {})
  await until("the blast", async () => (await call("GET", `/v1/email-blasts/${blast_id}`)).status === "sent")
  await pause(machine_open_ms)
  await engage(call, 100)
  return { blastId: blast_id, emailId: email_id }
}

const welcome = async (call: Call, list_id: string, newcomers: ReadonlyArray<string>): Promise<string> => {
  const email = (name: string) =>
    approvedEmail(call, letterFrom("bakery@example.test", { subject: name, html: letter }), name)
  const [hello, tips, reminder] = [await email("Welcome"), await email("Tips"), await email("A last word")]
  const opened = {
    kind: "condition",
    source: "email_step",
    nodeId: "hello",
    metric: "opened",
    operator: "has_activity",
  }
  const steps = [
    { type: "send_email", step_id: "hello", label: "Welcome", email_id: hello, next_step_id: "pause" },
    { type: "wait", step_id: "pause", duration_amount: 3, duration_unit: "days", next_step_id: "which" },
    {
      type: "condition_check",
      step_id: "which",
      label: "Opened?",
      condition: opened,
      true_step_id: "tips",
      false_step_id: "reminder",
    },
    { type: "send_email", step_id: "tips", label: "Tips", email_id: tips },
    { type: "send_email", step_id: "reminder", label: "A last word", email_id: reminder },
  ]
  const triggers = [{ type: "added_to_static_list", list_id }]
  const { flow_id } = await call("POST", "/v1/email-flows", { name: "Welcome", steps, triggers })
  await call("POST", `/v1/email-flows/${flow_id}/activate`, {})
  await call("POST", `/v1/contact-lists/${list_id}/contacts`, { contact_ids: newcomers })
  return flow_id
}

const visitor =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"

/** A page with views. */
const publishedPage = async (call: Call): Promise<string> => {
  const prompt = "A landing page for a spring bakery sale with 20% off, with a sign-up form"
  const { id } = await call("POST", "/v1/tents", { name: "Spring bakery", prompt })
  await until("the page", async () => (await call("GET", `/v1/tents/${id}`)).status === "completed")
  const { publication } = await call("POST", `/v1/tents/${id}/publish`, { custom_page_alias: "spring" })
  for (const referer of ["https://news.example.org/", "https://bread.example.com/", ""]) {
    for (const _ of first) await visit(publication.published_url, { "user-agent": visitor, referer })
  }
  return id
}

const csv = [
  "E-mail address,First name,Plan,Score,Joined",
  ...people
    .slice(0, 40)
    .map(
      ({ first_name }, index) =>
        `new${index}@example.org,${first_name},${index % 2 ? "pro" : "free"},${index},17.05.2025`,
    ),
].join("\r\n")

/** An import that is not executed. */
const uploaded = async (call: Call): Promise<string> => {
  const { import_session_id, upload_url } = await call("POST", "/v1/contacts/imports", {
    source: "upload",
    file_name: "people.csv",
  })
  await fetch(upload_url, { method: "PUT", body: csv })
  return import_session_id
}

/** Drafts and templates. */
const drafts = async (call: Call, list_id: string) => {
  const [draft, scheduled] = [
    await call("POST", "/v1/email-blasts", { name: "Summer opening hours" }),
    await call("POST", "/v1/email-blasts", { name: "Autumn bread" }),
  ]
  const blast = `/v1/email-blasts/${scheduled.blast_id}`
  const email_id = await approvedEmail(call, letterFrom("bakery@example.test", { subject: "Autumn", html: letter }))
  await call("PUT", `${blast}/audience`, { source: "existing", list_id })
  await call("PUT", `${blast}/email`, { source: "existing", email_id })
  await call("POST", `${blast}/schedule`, { scheduled_at: new Date(Date.now() + week_ms).toISOString() })
  const email = await call("POST", "/v1/emails", { name: "Easter", subject: "Easter bread", html: letter })
  const flow = await call("POST", "/v1/email-flows", { name: "Birthday" })
  const emailTemplate = await call("POST", "/v1/email-templates", { name: "Newsletter", html: letter })
  const tentTemplate = await call("POST", "/v1/tent-templates", { name: "Invitation", html: letter })
  return {
    draftBlastId: draft.blast_id,
    scheduledBlastId: scheduled.blast_id,
    draftEmailId: email.email_id,
    draftFlowId: flow.flow_id,
    emailTemplateId: emailTemplate.template_id,
    tentTemplateId: tentTemplate.template_id,
  }
}

/** Two endpoints, of which one is disabled, and a test of the other. Nothing listens at their URLs. */
const endpoints = async (call: Call, list_id: string) => {
  const path = "/v1/webhook-endpoints"
  const other = {
    url: "https://warehouse.example.org/events",
    event_types: ["*"],
    batch: { max_events: 100, max_wait_ms: 1_000 },
  }
  await call("POST", `${path}/${(await call("POST", path, other)).endpoint_id}/disable`)
  const { endpoint_id } = await call("POST", path, {
    url: "https://crm.example.org/hooks",
    event_types: ["contact.*", "email.bounced", "form.submitted"],
    description: "Keeps our CRM up to date",
    filter: { list_ids: [list_id] },
    headers: { authorization: "Bearer x" },
  })
  const { delivery_id } = await call("POST", `${path}/${endpoint_id}/test`, { event_type: "contact.updated" })
  return { endpointId: endpoint_id, deliveryId: delivery_id }
}

/** The domain of the first start. */
const firstDomain = async (service: Service, workspace_id: string): Promise<string> => {
  const headers = { authorization: `Bearer ${adminToken}` }
  const { json } = await service.call("GET", `/admin/v1/workspaces/${workspace_id}/domains`, undefined, headers)
  return json.domains[0].domain_id
}

/** Three topics, and a request that waits for its confirmation. */
const subscriptions = async (call: Call): Promise<string> => {
  const news = { name: "Monthly news", default_subscription: "subscribed", visibility: "public", double_opt_in: false }
  await call("POST", "/v1/topics", news)
  const old = await call("POST", "/v1/topics", { name: "Old letters", default_subscription: "unsubscribed" })
  await call("PATCH", `/v1/topics/${old.topic_id}`, { status: "archived" })
  const offers = { name: "Offers", description: "Once a week", default_subscription: "unsubscribed" }
  const { topic_id } = await call("POST", "/v1/topics", { ...offers, visibility: "public" })
  const consent = { text: "Yes, send me the offers of the bakery.", source: "checkout", ip: "203.0.113.77" }
  await call("POST", "/v1/subscriptions", { email: "ida@example.org", topic_ids: [topic_id], consent })
  return topic_id
}

export const makeUp = async (service: Service): Promise<MadeUp> => {
  const call = callsOf(service)
  const { workspace_id } = await call("GET", "/v1/workspace")
  await call("POST", "/v1/contact-fields", { display_name: "Shoe size", api_name: "shoe_size", value_type: "number" })
  await call("POST", "/v1/suppressions", { email: "eve@example.org", reason: "complaint" })
  const ids: Array<string> = []
  for (let from = 0; from < people_count; from += items_max) {
    const { items } = await call("POST", "/v1/contacts", { items: people.slice(from, from + items_max) })
    ids.push(...items.map((item: { readonly contact_id: string }) => item.contact_id))
  }
  const list = { name: "Bakery newsletter", kind: "static", description: "People who asked for it in the shop" }
  const { list_id } = await call("POST", "/v1/contact-lists", { ...list, contact_ids: ids.slice(0, 400) })
  const segment = await call("POST", "/v1/contact-lists", { name: "Romans", kind: "dynamic", rules: romans })
  const sent = await sentBlast(call, list_id)
  const flowId = await welcome(call, list_id, ids.slice(400, 480))
  const tentId = await publishedPage(call)
  return {
    contactId: ids[1] ?? "",
    listId: list_id,
    segmentId: segment.list_id,
    ...sent,
    flowId,
    tentId,
    topicId: await subscriptions(call),
    sessionId: await uploaded(call),
    domainId: await firstDomain(service, workspace_id),
    ...(await endpoints(call, list_id)),
    ...(await drafts(call, list_id)),
  }
}

const turnIntoBlocks = async (page: Page): Promise<void> => {
  await page.getByText("Blocks", { exact: true }).click()
  await page.getByRole("button", { name: "Turn into blocks" }).click()
  await page.frameLocator('iframe[title="Blocks"]').getByRole("heading", { name: "Spring sale" }).click()
  await page.locator("iframe").last().contentFrame().getByText("Terms").waitFor()
}

export const screens: ReadonlyArray<Pictured> = [
  { name: "home", path: () => "/home", isInDocs: true },
  { name: "contacts", path: () => "/contacts" },
  { name: "person", path: ({ contactId }) => `/contacts/${contactId}`, isInDocs: true },
  { name: "lists", path: () => "/lists" },
  { name: "list", path: ({ listId }) => `/lists/${listId}` },
  { name: "segment", path: ({ segmentId }) => `/lists/${segmentId}?view=rules`, isInDocs: true },
  { name: "topics", path: () => "/topics" },
  { name: "topic", path: ({ topicId }) => `/topics/${topicId}` },
  { name: "topic-requests", path: () => "/topics/requests" },
  { name: "imports", path: () => "/imports" },
  { name: "import", path: ({ sessionId }) => `/imports/sessions/${sessionId}` },
  { name: "emails", path: () => "/emails" },
  { name: "email", path: ({ draftEmailId }) => `/emails/${draftEmailId}` },
  {
    name: "email-blocks",
    path: ({ draftEmailId }) => `/emails/${draftEmailId}`,
    steps: turnIntoBlocks,
    isInDocs: true,
  },
  { name: "email-approved", path: ({ emailId }) => `/emails/${emailId}` },
  { name: "templates", path: () => "/templates" },
  { name: "template-email", path: ({ emailTemplateId }) => `/templates/emails/${emailTemplateId}` },
  { name: "template-page", path: ({ tentTemplateId }) => `/templates/tents/${tentTemplateId}` },
  { name: "blasts", path: () => "/blasts" },
  { name: "blast", path: ({ blastId }) => `/blasts/${blastId}`, isInDocs: true },
  { name: "blast-draft", path: ({ draftBlastId }) => `/blasts/${draftBlastId}` },
  { name: "blast-scheduled", path: ({ scheduledBlastId }) => `/blasts/${scheduledBlastId}` },
  { name: "flows", path: () => "/flows" },
  { name: "flow", path: ({ flowId }) => `/flows/${flowId}`, isInDocs: true },
  { name: "flow-draft", path: ({ draftFlowId }) => `/flows/${draftFlowId}` },
  { name: "flow-step", path: ({ flowId }) => `/flows/${flowId}?step=which` },
  { name: "flow-members", path: ({ flowId }) => `/flows/${flowId}/members` },
  { name: "pages", path: () => "/tents" },
  { name: "page", path: ({ tentId }) => `/tents/${tentId}` },
  { name: "page-code", path: ({ tentId }) => `/tents/${tentId}?tab=code` },
  { name: "page-forms", path: ({ tentId }) => `/tents/${tentId}?tab=forms` },
  { name: "page-traffic", path: ({ tentId }) => `/tents/${tentId}?tab=traffic` },
  { name: "pages-at-once", path: () => "/tents/bulk" },
  { name: "inbox", path: () => "/inbox" },
  { name: "domains", path: () => "/domains" },
  { name: "domain", path: ({ domainId }) => `/domains/${domainId}` },
  { name: "suppressions", path: () => "/suppressions" },
  { name: "webhooks", path: () => "/webhooks" },
  { name: "webhook", path: ({ endpointId }) => `/webhooks/${endpointId}` },
  { name: "webhook-settings", path: ({ endpointId }) => `/webhooks/${endpointId}?tab=settings` },
  {
    name: "webhook-delivery",
    path: ({ deliveryId, endpointId }) => `/webhooks/${endpointId}/deliveries/${deliveryId}`,
  },
  { name: "event-types", path: () => "/webhooks/events?search=email&type=email.bounced" },
  { name: "settings", path: () => "/settings/workspace" },
  { name: "settings-consent", path: () => "/settings/consent" },
  { name: "fields", path: () => "/settings/fields" },
  { name: "members", path: () => "/settings/members" },
  { name: "keys", path: () => "/settings/keys" },
  { name: "account", path: () => "/settings/account" },
  { name: "operations", path: () => "/operations", isInDocs: true },
  { name: "workspaces", path: () => "/workspaces" },
  { name: "audit", path: () => "/audit" },
]
