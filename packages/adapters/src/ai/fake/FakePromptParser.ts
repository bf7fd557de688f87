// The prompt parser of the fake AI, by word lists: whether a prompt wants a page, its topic, and the parts it names.

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

export interface Brief {
  /** The topic of the page, worded for use within a sentence. */
  readonly topic: string
  readonly headline: string
  readonly cards_count: number
  readonly form: FormBrief | null
}

const pageWords =
  /\b(web|landing|home|one|sales|squeeze|product|event|thank[ -]you|launch|about)[ -]?page|\bpages?\b|\bweb[ -]?sites?\b|\bsites?\b|\bmicrosite|\bone-pager|\bportfolio|\bstorefront|\bweb[ -]?shop|\bonline (shop|store|menu|brochure|invitation)|\bblog\b|\bcoming soon\b|\bwait(ing)?[ -]?list\b|\bsign[ -]?up form\b|\bhtml\b/i
const creationWords =
  /\b(create|build|make|design|generate|write|draft|produce|launch|set up|put together|publish|promote|advertise|announce|redesign|need|want)\b/i
const occasions =
  /\b(sale|event|fair|webinar|workshop|conference|concert|newsletter|campaign|offer|promotion|product|app|shop|store|restaurant|caf[eé]|bakery|studio|agency|club|course|service|business|startup|company|festival|opening|wedding|party)\b/i
const questions =
  /^\s*(what|who|whom|whose|when|where|why|how|which|is|are|was|were|does|do|did|can|could|calculate|compute|solve|translate|explain|summari[sz]e|define)\b/i

/**
 * Whether a prompt wants web content. A plain question does not, unless it also requests to create something. With a
 * template, any text that is no question counts as content of the page.
 */
export const asksForPage = (asked: string, options: { readonly hasTemplate: boolean }): boolean => {
  const prompt = spaced(asked)
  const isCreation = creationWords.test(prompt)
  if (questions.test(prompt) && !(isCreation && pageWords.test(prompt))) return false
  return options.hasTemplate || pageWords.test(prompt) || (isCreation && occasions.test(prompt))
}

export const readBrief = (asked: string, name: string): Brief => {
  const prompt = spaced(asked)
  const topic = topicOf(prompt)
  return {
    topic: topic || name,
    headline: topic === "" ? name : headlineOf(topic),
    cards_count: requestedCards(prompt) ?? 3,
    form: formOf(prompt),
  }
}

/** One space or line break in place of several. The patterns of this file try each character of a row of them. */
export const spaced = (prompt: string): string =>
  prompt.replace(/\s+/g, (spaces) => (spaces.includes("\n") ? "\n" : " "))

const topic_length_max = 90

/** What introduces a topic, in one pass: a `subject`, then a `lead`, which the topic follows, and no `end` between them. */
const introduction =
  /\b(?<subject>page|website|web site|site|portfolio|storefront|shop|blog)\b|(?<end>[.\n]|\b(?:with|asks?|asking|has|having|including|where|collects?)\b)|\b(?=(?<lead>(?:for|about|on|of|announcing|that (?:announces|presents|promotes|sells|describes|is about)|announces|presents|promotes|sells|promoting|presenting|selling|describing)\s)[^\n])/gi

const introduced = (prompt: string, introduces: RegExp): string | undefined => {
  let afterSubject = false
  for (const { groups = {}, index } of prompt.matchAll(introduces)) {
    if (groups["lead"] === undefined) afterSubject = groups["subject"] !== undefined
    else if (afterSubject) return prompt.slice(index + groups["lead"].length).split("\n", 1)[0]
  }
  return undefined
}

const instruction =
  /^\s*(?:please\s+)?(?:create|build|make|design|generate|write|draft|produce|launch|set up|publish|promote|advertise|announce)\s+(?:me\s+|us\s+)?([^\n]+)/i
const ending =
  /\s*(?:[.;:!?\n]|,?\s+\b(?:with|that has|that have|that asks|that includes|that shows|that contains|which|including|featuring|containing|where|so that|and (?:a|an|the) (?:sign|contact|waiting|form|booking|registration|footer))\b|,\s*(?:(?:a|an|the|one|two|three|four|five|six)\s)).*$/is

/** What remains of a prompt that requests a page or an email without a topic. */
const hollow =
  /^(?:(?:we|i)\b.*|(?:an?|the|my|our)?\s*(?:[\w-]+\s+)?(?:(?:web ?)?(?:page|site)|e-?mail|newsletter|message|mailing))$/i

/** Empty when the prompt names no topic. `introduces` has the groups of `introduction`. */
export const topicOf = (prompt: string, introduces: RegExp = introduction): string => {
  const match = introduced(prompt, introduces) ?? instruction.exec(prompt)?.[1] ?? prompt
  const topic = match.replace(ending, "").replace(/\s+/g, " ").trim()
  if (hollow.test(topic)) return ""
  if (topic.length <= topic_length_max) return topic
  return `${topic.slice(0, topic_length_max).replace(/\s+\S*$/, "")} …`
}

export const headlineOf = (topic: string): string => capital(topic.replace(/^(a|an|the|my)\s+/i, ""))

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const numbers: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5, six: 6 }

/** How many sections, features or the like a prompt requests; null when it gives no number. */
export const requestedCards = (prompt: string): number | null => {
  const match =
    /\b(two|three|four|five|six|[2-6])\s+(?:\w+\s+){0,2}?(?:sections|features|cards|products|columns|benefits|reasons|blocks)\b/i.exec(
      prompt,
    )?.[1]
  return match === undefined ? null : (numbers[match.toLowerCase()] ?? Number(match))
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

/** The form that a prompt requests, with the fields it names or the usual fields of such a form. Always has an email field. */
const formOf = (prompt: string): FormBrief | null => {
  const kind = formKinds.find(([words]) => words.test(prompt))
  if (kind === undefined) return null
  const [words, form, usual] = kind
  const list =
    /\b(?:asks?|asking|collects?|collecting|fields?|form|with)\b(?:\s+\w+){0,2}?\s*(?:for|:|with|to collect)\s+([^.\n]+)/i.exec(
      prompt.slice(prompt.search(words)),
    )?.[1]
  const named = fields.filter(([each]) => list !== undefined && each.test(list)).map(([, name]) => name)
  const wanted = named.length > 0 ? named : usual
  return {
    ...form,
    fields: fields
      .filter(([, name]) => name === "email" || wanted.includes(name))
      .map(([, name, label, type, autocomplete]) => ({ name, label, type, autocomplete })),
  }
}
