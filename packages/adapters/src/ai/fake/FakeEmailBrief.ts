// The prompt parser of the fake AI for emails: the topic, and the button, code, date or sections that the prompt names.
import { requestedCards, headlineOf, spaced, topicOf } from "./FakePromptParser.ts"

export interface EmailBrief {
  /** The topic of the email, worded for use within a sentence. */
  readonly topic: string
  readonly headline: string
  /** 0: the email is a letter without sections. */
  readonly cards_count: number
  readonly button: ButtonBrief | null
  readonly coupon: CouponBrief | null
  /** The date in the words of the prompt: `Saturday, 5 December 2026 at 7 pm`. */
  readonly date: string | null
}

export interface ButtonBrief {
  readonly label: string | null
  readonly url: string | null
}

export interface CouponBrief {
  /** Null: the prompt wants a code and does not give it. */
  readonly code: string | null
  /** For example `20%`; null when the prompt gives none. */
  readonly discount: string | null
}

export const readEmailBrief = (asked: string, name: string): EmailBrief => {
  const prompt = spaced(asked)
  const words = spaced(prompt.replace(/https?:\/\/\S+|["“][^"“”\n]*["”]/gi, " "))
  const date = dateOf(words)
  // The date is shown separately.
  const undated = date === null ? words : words.replace(whenItIs, "")
  const topic = topicOf(undated, introduction)
  return {
    topic: topic || name,
    headline: topic === "" ? name : headlineOf(topic),
    cards_count: cardsOf(words),
    button: buttonOf(prompt),
    coupon: couponOf(prompt),
    date,
  }
}

const introduction =
  /\b(?<subject>e-?mails?|newsletter|message|mailing|invitation|announcement|letter|reminder)\b|(?<end>[.\n]|\b(?:with|has|having|including)\b)|\b(?=(?<lead>(?:for|about|on|of|to|announcing|(?:that|which|to) (?:announces?|presents?|promotes?|sells?|describes?|introduces?|invites? (?:people |everybody |our \w+ )?to|is about)|announces|presents|promotes|inviting (?:people |everybody |our \w+ )?to|promoting|presenting|introducing)\s)[^\n])/gi

const cardsOf = (prompt: string): number => {
  const requested = requestedCards(prompt)
  if (requested !== null) return requested
  return /\b(newsletter|sections|features|products|highlights|reasons|benefits|news)\b/i.test(prompt) ? 3 : 0
}

const buttonWords =
  /\b(button|call[ -]to[ -]action|cta|link|register|rsvp|sign[ -]?up|download)\b|\b(order|buy|book|shop|reserve) (now|here|online|it|them)\b/i

const label_length_max = 40

const buttonOf = (prompt: string): ButtonBrief | null => {
  const url = /https?:\/\/[^\s"'<>“”)\]]*[^\s"'<>“”)\].,;:!?]/i.exec(prompt)?.[0] ?? null
  if (url === null && !buttonWords.test(prompt)) return null
  const quoted = /\bbutton\b[^"“”'.\n]{0,40}["“']([^"“”'\n]{1,60})["”']/i.exec(prompt)?.[1]?.trim()
  const label = quoted || labels.find(([words]) => words.test(prompt))?.[1]
  return { label: label === undefined ? null : label.slice(0, label_length_max), url }
}

const labels: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bregister\b/i, "Register"],
  [/\brsvp\b/i, "Say that you come"],
  [/\bsign[ -]?up\b/i, "Sign up"],
  [/\b(book|reserve)\b/i, "Book now"],
  [/\b(shop|buy|order)\b/i, "Shop now"],
  [/\bdownload\b/i, "Download"],
]

const couponOf = (prompt: string): CouponBrief | null => {
  const code = /\bcode\b[\s:]*(?:is\s+)?["“']?([A-Z0-9][A-Z0-9-]{2,23})\b/.exec(prompt)?.[1] ?? null
  const wantsCoupon = code !== null || /\b(coupon|voucher|promo(tion(al)?)? code|discount code)\b/i.test(prompt)
  if (!wantsCoupon) return null
  const discount = /\b(\d{1,2}) ?(?:%|percent\b)/i.exec(prompt)?.[1]
  return { code, discount: discount === undefined ? null : `${discount}%` }
}

const month =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
const weekday = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
const year = "(?:,? \\d{4})?"
const time = "(?:,?(?: at| from)? \\d{1,2}(?::\\d{2})? ?(?:[ap]\\.?m\\.?|o'clock|h)|,?(?: at| from)? \\d{1,2}:\\d{2})?"
const day = `((?:${weekday},? )?(?:\\d{4}-\\d{2}-\\d{2}|\\d{1,2}(?:st|nd|rd|th)? (?:of )?${month}\\b${year}|${month} \\d{1,2}(?:st|nd|rd|th)?\\b${year})${time}|(?:next |this )?${weekday}${time})`
const dates = new RegExp(`\\b${day}`, "i")
const whenItIs = new RegExp(`,?\\s*\\b(?:on )?(?:the )?${day}`, "i")

const dateOf = (prompt: string): string | null => {
  const date = dates.exec(prompt)?.[1]?.trim()
  return date === undefined ? null : date.charAt(0).toUpperCase() + date.slice(1)
}
