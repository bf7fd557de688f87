// Amounts, dates and times in a prompt. Every pattern has bounded parts, so a search is linear in the length of the text.

const number = String.raw`\d(?:[\d.,'’]{0,14}\d)?k?`
const sign = String.raw`(?:€|\$|£|¥|(?:CHF|EUR|USD|GBP|Fr|euros?|dollars?|francs?|pounds?)\b)`
const amount = String.raw`(?:${sign}\s?${number}(?:\s?[–-]\s?${number})?|${number}(?:\s?[–-]\s?${number})?\s?${sign})`
const share = String.raw`\d{1,9}(?:[.,]\d{1,4})?\s?(?:%|per ?cent\b)`

/** Numbers with a currency or per cent sign. */
export const figures = new RegExp(`${amount}|${share}`, "giu")

/** An amount with what it is paid for: `from 12 € per user per month`. */
export const price = new RegExp(
  String.raw`(?:\b(?:from|only|just|up to)\s)?${amount}(?:\s?(?:\/|\bper\b|\ban?\b|\beach\b)\s?(?:\p{L}{1,20})?){0,2}`,
  "iu",
)

export const percentage = new RegExp(share, "iu")

/** `3 months free`. */
export const freeTime = /\b\d{1,3} (?:days?|weeks?|months?|years?) (?:for )?free\b/i

export const freeEvent =
  /\bfree (?:(?:online|live|public) )?(?:webinar|workshop|event|course|class|concert|seminar|talk|meet-?up|masterclass)\b/i

/** Figures of a text, each once and without its spaces. */
export const figuresIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(figures)].map(([figure]) => bare(figure)))

export const bare = (figure: string): string => figure.replace(/\s/g, "").toLowerCase()

const month =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
const weekday = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
const year = String.raw`(?:,? \d{4})?`
const clock = String.raw`(?:\d{1,2}(?:[:.]\d{2})? ?(?:[ap]m\b|o'clock|h\b)|\d{1,2}:\d{2})`
const to = String.raw`(?: ?[–-] ?| to | until )`
const zone = "(?: (?:CET|CEST|UTC|GMT|BST|EST|EDT|PST|PDT|ET|PT)\\b)?"
const time = `(?:,?(?: at| from)? ${clock}(?:${to}${clock})?${zone})?`
const th = "(?:st|nd|rd|th)?"
const day =
  String.raw`(?:(?:${weekday},? )?(?:\d{4}-\d{2}-\d{2}|\d{1,2}${th}(?:${to}\d{1,2}${th})? (?:of )?${month}\b${year}|${month} \d{1,2}${th}\b${year})|(?:next |this )?${weekday})` +
  time
const until = "(?:until|till|through|by|before|ends(?: on)?|starting|from)"

const dates = new RegExp(String.raw`\b(?:(${until}) )?(?:the )?(${day})`, "i")
const datesWithLead = new RegExp(String.raw`,?\s*\b(?:(?:on|${until}) )?(?:the )?${day}`, "i")

/** The first date of a text in its own words, with the word before it, and the text without it. */
export const dateIn = (
  text: string,
): { readonly lead: string | null; readonly date: string; readonly rest: string } | null => {
  const [, lead = null, date] = dates.exec(text) ?? []
  return date === undefined ? null : { lead, date: capital(date.trim()), rest: text.replace(datesWithLead, "") }
}

/** A time at the beginning of a point of an agenda. */
export const leadingTime = new RegExp(`^(${clock}(?:${to}${clock})?)(?:\\s*[–:-])?\\s+`, "i")

/** `open 7 am to 6 pm`, `opening hours Tuesday to Sunday 11:30–22:00`. */
export const hours = new RegExp(
  String.raw`\b(?:open(?:ing hours)?|hours)\b[:\s]*(?:are\s|is\s|from\s|daily\s|every day\s)*((?:[\p{L}]{2,10}(?:${to}[\p{L}]{2,10})?,?\s)?(?:from )?${clock}${to}${clock})`,
  "iu",
)

/** Without these characters at its ends. A pattern that ends in `+$` retries on rows of them. */
export const stripped = (text: string, characters: string): string => {
  let from = 0
  let to = text.length
  while (from < to && characters.includes(text.charAt(from))) from++
  while (to > from && characters.includes(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
