// Forms and buttons that a prompt requests, with the fields and labels that it names.
import { withoutQuotes } from "./Sentences.ts"
import type { Kind } from "./Subjects.ts"

export interface Field {
  readonly name: string
  readonly label: string
  readonly type: "text" | "email" | "tel" | "textarea"
  readonly autocomplete: string
}

export interface FormBrief {
  readonly id: string
  readonly heading: string
  readonly button: string
  readonly fields: ReadonlyArray<Field>
}

/** The first form kind whose words occur in the prompt; `fields` when there is none. */
const formKinds: ReadonlyArray<readonly [RegExp, Omit<FormBrief, "fields">, fields: ReadonlyArray<string>]> = [
  [
    /\bwait(ing)?[ -]?list\b/i,
    { id: "waiting-list", heading: "Join the waiting list", button: "Put me on the list" },
    ["first_name"],
  ],
  [
    /\b(rsvp|register|registration|enrol|enroll|attend)\b/i,
    { id: "registration", heading: "Register", button: "Register" },
    ["first_name", "last_name"],
  ],
  [
    /\b(book(ing)?|reservation|appointment|reserve|quote|demo|trial|estimate)\b/i,
    { id: "request", heading: "Send a request", button: "Send the request" },
    ["first_name", "phone", "message"],
  ],
  [
    /\b(apply|application|applications|applicants)\b/i,
    { id: "application", heading: "Apply", button: "Send the application" },
    ["first_name", "last_name", "phone", "message"],
  ],
  [
    /\b(contact|inquir\w*|enquir\w*|get in touch)\b/i,
    { id: "contact", heading: "Write to us", button: "Send" },
    ["first_name", "message"],
  ],
  [
    /\b(sign(ing)?[ -]?up|subscri\w+|newsletter|opt[ -]?in|lead|collects?|form)\b/i,
    { id: "sign-up", heading: "Sign up", button: "Sign me up" },
    ["first_name"],
  ],
]

/** In the order of a form, with the words that name each field. */
const fields: ReadonlyArray<readonly [RegExp, ...field: readonly [string, string, Field["type"], string]]> = [
  [/\b(first|given) name|\bname\b/i, "first_name", "First name", "text", "given-name"],
  [/\b(last|family) name|\bsurname|\bfull name/i, "last_name", "Last name", "text", "family-name"],
  [/\be-?mail\b/i, "email", "Email address", "email", "email"],
  [/\b(tele)?phone\b|\bmobile number/i, "phone", "Phone number", "tel", "tel"],
  [/\bcompany\b|\borgani[sz]ation\b/i, "company", "Company", "text", "organization"],
  [/\bjob title\b|\bposition\b/i, "job_title", "Job title", "text", "organization-title"],
  [/\bcity\b|\btown\b/i, "city", "City", "text", "address-level2"],
  [/\bmessage\b|\bcomments?\b|\bquestions?\b/i, "message", "Message", "textarea", "off"],
]

const table = { id: "reservation", heading: "Reserve a table", button: "Send the reservation" }

/** Pages that need a form even if the prompt does not name it. */
const formOfKind: Readonly<Partial<Record<Kind, string>>> = {
  webinar: "registration",
  "waiting-list": "waiting-list",
  job: "application",
}

/** The form that a prompt requests, with the fields it names or the usual fields of such a form. Always has an email field. */
export const formOf = (prompt: string, kind: Kind): FormBrief | null => {
  const usualForm = formKinds.find(([, { id }]) => id === formOfKind[kind])
  const chosen = formKinds.find(([words]) => words.test(prompt))
  const it = kind === "job" || kind === "waiting-list" ? (usualForm ?? chosen) : (chosen ?? usualForm)
  if (it === undefined) return null
  const [words, form, usual] = it
  const list =
    /\b(?:asks?|asking|collects?|collecting|fields?|form|with)\b(?:\s+\w+){0,2}?\s*(?:for|:|with|to collect)\s+([^.\n]+)/i.exec(
      prompt.slice(Math.max(0, prompt.search(words))),
    )?.[1]
  const named = fields.filter(([each]) => list !== undefined && each.test(list)).map(([, name]) => name)
  const wanted = named.length > 0 ? named : usual
  return {
    ...(kind === "restaurant" && form.id === "request" ? table : form),
    fields: fields
      .filter(([, name]) => name === "email" || wanted.includes(name))
      .map(([, name, label, type, autocomplete]) => ({ name, label, type, autocomplete })),
  }
}

export interface ButtonBrief {
  readonly label: string | null
  readonly url: string | null
}

const buttonWords =
  /\b(?:button|call[ -]to[ -]action|cta|link|register|rsvp|sign[ -]?up|download)\b|\b(?:order|buy|book|shop|reserve|apply) (?:now|here|online|it|them)\b/i

const label_length_max = 40

const labels: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bregister\b/i, "Register"],
  [/\brsvp\b/i, "Say that you come"],
  [/\bsign[ -]?up\b/i, "Sign up"],
  [/\b(?:book|reserve)\b/i, "Book now"],
  [/\b(?:shop|buy|order)\b/i, "Shop now"],
  [/\bdownload\b/i, "Download"],
  [/\bapply\b/i, "Apply now"],
]

export const buttonOf = (text: string, named: string | null): ButtonBrief | null => {
  const url = /https?:\/\/[^\s"'<>“”)\]]{0,2000}[^\s"'<>“”)\].,;:!?]/i.exec(text)?.[0] ?? null
  if (named === null && url === null && !buttonWords.test(text)) return null
  const wanted = named ?? /\bbutton\b[^"“”'.\n]{0,40}["“']([^"“”'\n]{1,60})["”']/i.exec(text)?.[1]?.trim()
  const label = wanted || labels.find(([words]) => words.test(withoutQuotes(text)))?.[1]
  return { label: label === undefined ? null : label.slice(0, label_length_max), url }
}
