// The sentences of a prompt: what asks for something and what is content. Only content is printed.
import { findTokens, type MergeToken } from "@tentpole/core/rendering/MergeTokens"

/** A longer prompt is cut: the services accept 20,000 characters. */
const prompt_length_max = 20_000
const sentences_max = 400

/** A prompt with its merge tokens replaced by marks, so that their dots and braces end no sentence. */
export interface Masked {
  readonly text: string
  /** Puts the tokens back. */
  readonly restore: (html: string) => string
}

/** `keeps`: which tokens may appear in the result. Others give way to their fallback or to nothing. */
export const masked = (prompt: string, keeps: (token: MergeToken) => boolean): Masked => {
  const source = prompt
    .slice(0, prompt_length_max)
    .toWellFormed()
    .replace(/[\uE000\uE001]/g, "")
  const tokens: Array<string> = []
  const parts: Array<string> = []
  let from = 0
  for (const { start, end, token } of findTokens(source)) {
    parts.push(source.slice(from, start))
    if (keeps(token)) parts.push(`\uE000${tokens.push(source.slice(start, end)) - 1}\uE001`)
    else parts.push(token.fallback ?? "")
    from = end
  }
  const text = [...parts, source.slice(from)].join("").replace(/\{\{|\}\}/g, " ")
  const restore = (html: string): string =>
    html.replace(/\uE000(\d{1,5})\uE001/g, (_, at: string) => tokens[Number(at)] ?? "").replace(/[\uE000\uE001]/g, "")
  return { text: spaced(text), restore }
}

/** One space or line break in place of several. The patterns of the fake AI try each character of a row of them. */
export const spaced = (prompt: string): string =>
  prompt.replace(/\s+/g, (spaces) => (spaces.includes("\n") ? "\n" : " "))

/** Verbs and nouns with which a sentence addresses the writer. */
const order =
  "(?:write|rewrite|make|create|build|design|generate|draft|produce|compose|prepare|use|keep|avoid|include|add|mention|show|list|put|give|insert|don't|do not|never|ensure|translate|announce|promote|advertise|publish|send|invite|tell|remind|thank|explain|describe|present|introduce|say|sound|focus|highlight|emphasi[sz]e|target|address|end with|start with|begin with|finish with|set up|put together|we (?:need|want)|i (?:need|want)|(?:i|we) would like|(?:i|we)'d like|can you|could you|tone|style|language|format|length)"
const polite = "(?:(?:please|kindly|also|and|then|now|but|so)\\s+){0,3}"
const orders = new RegExp(`^[\\s"“(*-]{0,4}${polite}${order}\\b`, "i")
/** `The text should be short.` `It must sound friendly.` */
const demands =
  /^(?:the|this|all|its?|your)\s+(?:[\p{L}-]+\s+){0,3}?(?:should|must|needs? to|has to|have to|shall|ought to)\b/iu
/** `A landing page for …`, `Newsletter about …`. */
const requests =
  /^(?:(?:an?|the|our|my|one)\s+)?(?:[\p{L}\d'’-]+\s+){0,6}?(?:page|pages|web ?site|site|one-pager|microsite|e-?mail|newsletter|mailing|invitation|announcement|reminder|landing page|job (?:offer|opening|ad)|vacancy)\b/iu

/** `With a form to get the coupon`, `Sign-up form with name and email`, `Reserve a table by form`. */
const formSentence =
  /^(?:(?:with|plus|and|also|including|there is|it has)\s)?(?:(?:an?|the|our|one)\s)?(?:[\p{L}-]{1,20}\s){0,3}?(?:form|button)\b(?!\sof\b)|\b(?:by|with|in|via|through|use) (?:an?|the|this|our|a short)? ?form\b/iu

/** Phrases that are instructions within a sentence: the language and the tone. */
const manner =
  /,?\s*\b(?:(?:all |written )?in (?:simple |plain )?(?:french|german|italian|spanish|english|dutch|portuguese|polish|japanese|chinese|swedish|danish|norwegian|finnish|greek|turkish|arabic|russian|czech)\b|(?:in|with|using) an? [\p{L}-]{2,20}(?:,? (?:and |but )?[\p{L}-]{2,20}){0,3} (?:tone|style|voice|manner|layout|design|look)\b|(?:friendly|warm|formal|casual|playful|serious|professional) (?:tone|style)\b)/giu

/** Begins a new sentence before an instruction that follows a comma, an "and" or nothing but a capital letter. */
const clauses = (text: string): string =>
  text
    .replace(
      new RegExp(
        `(?:[,:]\\s(?:and\\s|then\\s|but\\s)?|\\s(?:and|then)\\s)(?=(?:please\\s)?(?:write|use|keep|avoid|include|add|mention|make (?:it|the|sure)|don't|do not)\\b)`,
        "gi",
      ),
      "\n",
    )
    .replace(/\s(?=(?:Please\s)?(?:Write|Use|Keep|Avoid|Include|Add|Mention|Make|Create|Translate)\s)/g, "\n")

export interface Sentence {
  readonly text: string
  /** It asks for something, so it is never printed as it is. */
  readonly isOrder: boolean
  /** It follows a line that ends in a colon, as a bullet or a line of a list. */
  readonly isBullet: boolean
}

/** Items of a list that follow a colon and are separated by semicolons, with commas instead. */
const semicolonLists = (text: string): string =>
  text.replace(/:[^.!?\n;]{0,200};[^.!?\n]*/g, (list) => list.replaceAll(";", ","))

export const sentencesOf = (text: string): ReadonlyArray<Sentence> =>
  clauses(
    semicolonLists(text)
      .replace(/\b([ap])\.m\./gi, "$1m")
      .replace(/\b(?:e\.g|i\.e|approx|etc)\./gi, ""),
  )
    .split(/(?<=[.!?])\s|[\n;]/)
    .slice(0, sentences_max)
    .flatMap((raw): ReadonlyArray<Sentence> => {
      const bullet = /^\s*(?:[-*•–]|\d{1,2}[.)])\s+/.exec(raw)
      const line = raw.slice(bullet?.[0].length ?? 0)
      const isOrder =
        orders.test(line) ||
        demands.test(line) ||
        requests.test(line.slice(0, 200)) ||
        formSentence.test(line.slice(0, 200))
      const plain = line.replace(manner, "").trim()
      return plain === "" ? [] : [{ text: plain, isOrder, isBullet: bullet !== null }]
    })

/** Whether a piece of a sentence speaks of the page or email itself. */
export const speaksOfItself = (text: string): boolean =>
  orders.test(text) ||
  demands.test(text) ||
  /\b(?:page|web ?site|e-?mail|newsletter|headline|tone|layout|prompt|wording|words|sentences|paragraphs?|call[ -]to[ -]action|cta)\b/i.test(
    text,
  )

/** Words for parts of a layout, which name no content. */
const layoutWords =
  /^(?:(?:an?|the|our|one|two|three|four|five|six|\d{1,2}|big|clear|short|nice|bold|small|simple|strong|large|good|with|and)\s){0,4}(?:[\p{L}-]{1,20}\s){0,2}?(?:headlines?|footer|header|form|sections?|buttons?|agenda|programme|menu|map|testimonials?|faqs?|questions|features?|products?|reasons?|benefits?|cards?|columns?|pictures?|images?|photos?|gallery|hero|banner|timer|countdown|links?|speakers?|plans?|prices?|pricing|tables?|hours|call[- ]to[- ]action|cta|details?|information|blocks?|sign-?up|registration|newsletter|list|code|rsvp|reservations?)(?:\s.{0,80})?$/isu

/** Whether a piece names a part of a layout and no content: `a clear headline`. */
export const isLayout = (text: string): boolean => layoutWords.test(text)

/** The parts of a list, split at commas outside brackets, and at the last "and". */
export const partsOf = (list: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let depth = 0
  let from = 0
  for (let at = 0; at < list.length; at++) {
    const character = list[at]
    if (character === "(") depth++
    else if (character === ")") depth = Math.max(0, depth - 1)
    else if ((character === "," && depth === 0 && /\s/.test(list[at + 1] ?? " ")) || character === "•") {
      parts.push(list.slice(from, at))
      from = at + 1
    }
  }
  const last = list.slice(from)
  // "a, b and c" has three parts; "bread and butter" alone stays one unless nothing else separates.
  const both = /^(.{1,200}?)\s(?:and|&)\s(.{1,200})$/s.exec(last)
  const tail = both !== null ? [both[1] ?? "", both[2] ?? ""] : [last]
  return [...parts, ...tail]
    .map((part) => part.replace(/^\s*(?:and|or|plus|&)\s/i, "").trim())
    .filter((part) => part !== "")
}

/** `Talks, drinks and portfolio reviews`: short pieces without figures. */
export const isEnumeration = (text: string): boolean => {
  const parts = partsOf(text.replace(/[.!]$/, ""))
  return parts.length > 2 && parts.every((part) => /^\p{L}[\p{L}'’-]{1,24}(?:\s[\p{L}'’-]{1,24}){0,2}$/u.test(part))
}

export const withoutQuotes = (text: string): string =>
  text.replace(/https?:\/\/\S{1,500}|["“][^"“”\n]{0,200}["”]/gi, " ")
