// The topic of a prompt: the words after "a page for", "an email about" and the like.
import { dateIn, stripped } from "./Figures.ts"
import { isLayout } from "./Sentences.ts"
import type { Kind } from "./Subjects.ts"

const topic_length_max = 90
const read_length_max = 2_000

/** What introduces a topic, in one pass: a `subject`, then a `lead`, which the topic follows, and no `end` between them. */
const introduction =
  /\b(?<subject>page|website|web site|site|portfolio|storefront|blog|e-?mails?|newsletter|message|mailing|invitation|announcement|letter|reminder)\b|(?<end>[.:\n]|\b(?:with|asks?|asking|has|having|including|where|collects?)\b)|\b(?=(?<lead>(?:(?:that|which|to) (?:announces?|presents?|promotes?|sells?|describes?|introduces?|invites? (?:people |everybody |our \w+ )?to|is about)|for|about|on|of|announcing|announces|presents|promotes|sells|promoting|presenting|selling|describing|introducing|inviting (?:people |everybody |our \w+ )?to|to (?=(?:the|our|an?)\s))\s?)[^\n])/gi

const introduced = (prompt: string): string | undefined => {
  let afterSubject = false
  for (const { groups = {}, index } of prompt.matchAll(introduction)) {
    if (groups["lead"] === undefined) afterSubject = groups["subject"] !== undefined
    else if (afterSubject) return prompt.slice(index + groups["lead"].length).split("\n", 1)[0]
  }
  return undefined
}

const instruction =
  /^\s*(?:please\s+)?(?:create|build|make|design|generate|write|draft|produce|launch|set up|publish|promote|advertise|announce|send|invite (?:people |everybody |our \w+ )?to)\s+(?:me\s+|us\s+)?([^\n]+)/i
const ending =
  /\s?(?:[.;:!?\n]|,?\s\b(?:with|that has|that have|that asks|that includes|that shows|that contains|which|including|featuring|containing|where|so that|and (?:a|an|the) (?:sign|contact|waiting|form|booking|registration|footer))\b|,\s(?:(?:a|an|the|one|two|three|four|five|six|until|from|open|\d)\s?)).*$/is

/** What remains of a prompt that requests a page or an email without a topic. */
const hollow =
  /^(?:(?:we|i|it|this|them|sure)\b.*|.*\b(?:sentences|paragraphs|wording|tone)\b.*|(?:an?|the|my|our)?\s*(?:[\w-]+\s+){0,2}?(?:(?:web ?)?(?:page|site)|e-?mail|newsletter|message|mailing)s?)$/i

const shortened = (topic: string): string =>
  topic.length <= topic_length_max ? topic : `${topic.slice(0, topic_length_max).replace(/\s+\S*$/, "")} …`

const trimmed = (text: string): string =>
  stripped(text.replace(ending, "").replace(/\s+/g, " "), " ,(–-").replace(/\s(?:on|at|until|from|by|in|for|and)$/i, "")

/** Empty when the sentence names no topic. */
export const topicOf = (sentence: string): string => {
  const whole = sentence.slice(0, read_length_max)
  const text = dateIn(whole)?.rest ?? whole
  const topic = trimmed(introduced(text) ?? instruction.exec(text)?.[1] ?? text)
  if (!hollow.test(topic)) return shortened(topic)
  // "A page with our opening hours" has its topic behind the preposition.
  const behind = trimmed(/\b(?:with|showing|presenting)\s([^\n]{3,})$/i.exec(text)?.[1] ?? "")
  return isLayout(behind) ? "" : shortened(behind)
}

export const withoutListWords = (text: string): string =>
  text.replace(/^(?:(?:our|an?|the)\s)?(?:waiting[ -]?list|waitlist)\s(?:for|of)\s/i, "")

/** Without words that the page shows elsewhere: the conditions of a job, the venue of an event. */
export const topicOfKind = (topic: string, kind: Kind, place: string | null): string => {
  if (kind === "job") return topic.replace(/,.*$/s, "")
  if (kind === "waiting-list") return withoutListWords(topic)
  if (kind !== "event" || place === null || !topic.endsWith(` ${place}`)) return topic
  return topic.slice(0, -place.length - 1).replace(/\s(?:in|at)(?:\sthe)?$/i, "")
}

/** `A job offer: senior baker`. */
export const jobTitle = /^(\s?(?:(?:an?|our|the)\s)?(?:job offer|job opening|job ad|vacancy|open position))\s?[:–-]\s/i
