// Sample values for examples, by the name of the field.
export const id = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
export const instant = "2026-05-01T09:30:00.000Z"
export const day = "2026-05-01"

const page = "<!doctype html><html><body><h1>Fresh bread every morning</h1></body></html>"

export const words: Readonly<Record<string, string>> = {
  actor: "cli",
  address: "12 Mill Lane",
  address2: "Floor 2",
  api_key: "tp_live_4kTz…",
  api_name: "shoe_size",
  browser: "Firefox",
  city: "Bern",
  clicked_url: "https://example.org/menu",
  client_item_id: "row-17",
  code: "not_found",
  company: "Mill Lane Bakery",
  content_path: `/v1/emails/${id}/content`,
  country: "CH",
  created_by_name: "Website",
  cursor: "eyJhdCI6IjIwMjYtMDUtMDEifQ",
  custom_page_alias: "spring-sale",
  description: "Subscribers to the spring menu",
  device: "mobile",
  display_name: "Ann Lee",
  dkim_selector: "tp1",
  domain: "example.org",
  download_url: "https://api.example.org/downloads/eyJ…",
  email: "ann@example.org",
  file_name: "people.csv",
  first_name: "Ann",
  form_id: "sign-up",
  from_address: "news@example.test",
  from_name: "Mill Lane Bakery",
  header: "First Name",
  headers: "First Name",
  html: "<p>Hello {{contact.first_name|there}}, spring is here.</p>",
  icon_url: "https://example.org/icon.png",
  instructions: "The spring sale of our shop in Bern",
  job_title: "Baker",
  label: "Shoe size",
  last_name: "Lee",
  lead_status: "warm",
  lifecycle_stage: "customer",
  logo_url: "https://example.org/logo.png",
  message: "No such contact in this workspace",
  name: "Spring news",
  next_cursor: "eyJhdCI6IjIwMjYtMDUtMDEifQ",
  original_source: "api",
  original_source_detail: "checkout",
  os: "Android",
  phone: "+14155550123",
  plain_text_path: `/v1/emails/${id}/plain-text`,
  postal_address: "Mill Lane Bakery, 12 Mill Lane, Bern",
  prefix: "tp_live_4kTz",
  preview_text: "Fresh every morning",
  primary_color: "#8a4b2f",
  prompt: "A landing page for a spring bakery sale, with a sign-up form",
  provider: "crm",
  published_url: "https://mill-lane.example.org/spring-sale",
  reason: "The header matches a name of the field",
  referrer: "direct",
  reply_to_email: "hello@example.test",
  slug: "mill-lane-bakery",
  state: "BE",
  subject: "Spring at the bakery",
  suggested_display_name: "Shoe size",
  target: id,
  target_field: "first_name",
  tentIdOrAlias: "spring-sale",
  tent_name: "Spring sale",
  text: "Hello {{contact.first_name|there}}, spring is here.",
  to: "ann@example.org",
  token: "contact.nickname",
  upload_url: "https://api.example.org/uploads/eyJ…",
  value: "Bern",
  zip_code: "3011",
}

/** Samples of media types other than JSON. */
export const texts: Readonly<Record<string, string>> = {
  "text/html": page,
  "text/plain": "Hello Ann, spring is here.",
  "text/csv": "contact_id,email\r\n" + `${id},ann@example.org\r\n`,
}

export const numbers: Readonly<Record<string, number>> = { limit: 20, days: 7, service_score: 42 }

/** Boolean fields that are true in examples. */
export const truths: ReadonlySet<string> = new Set([
  "auto_publish",
  "held",
  "is_editable",
  "marketing_email_subscribed",
  "marketing_sms_subscribed",
  "matches",
  "ready",
  "verified",
])

const contact = { email: "ann@example.org", first_name: "Ann", city: "Bern", custom_fields: { shoe_size: 39 } }

/** Whole bodies by the name of their schema, for schemas with few required fields. */
export const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ContactItem: { client_item_id: "row-17", ...contact },
  ContactUpdate: { contact_id: id, city: "Thun", custom_fields: { shoe_size: null } },
  ContactPatch: { city: "Thun", custom_fields: { shoe_size: 40 } },
  CreateEmail: {
    name: "Spring news",
    subject: "Spring at the bakery",
    preview_text: "Fresh every morning",
    from_name: "Mill Lane Bakery",
    from_address: "news@example.test",
    reply_to_email: "hello@example.test",
    html: "<p>Hello {{contact.first_name|there}}, spring is here.</p>",
  },
  ExplainContact: { list_id: id },
  ExecuteImport: {
    mappings: [
      { header: "E-mail", target_field: "email", target_kind: "standard" },
      {
        header: "First Name",
        target_field: "first_name",
        target_kind: "standard",
        overwrite_behavior: "skip_if_filled",
      },
    ],
    duplicate_strategy: "update",
  },
}
