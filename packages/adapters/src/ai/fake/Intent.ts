// Whether a prompt wants web content, by word lists.
import { spaced } from "./Sentences.ts"

const pageWords =
  /\b(web|landing|home|one|sales|squeeze|product|event|thank[ -]you|launch|about)[ -]?page|\bpages?\b|\bweb[ -]?sites?\b|\bsites?\b|\bmicrosite|\bone-pager|\bportfolio|\bstorefront|\bweb[ -]?shop|\bonline (shop|store|menu|brochure|invitation)|\bblog\b|\bcoming soon\b|\bwait(ing)?[ -]?list\b|\bsign[ -]?up form\b|\bjob (?:offer|opening|posting|ad)\b|\bhtml\b/i
const creationWords =
  /\b(create|build|make|design|generate|write|draft|produce|launch|set up|put together|publish|promote|advertise|announce|redesign|need|want)\b/i
const occasions =
  /\b(sale|event|fair|webinar|workshop|conference|concert|newsletter|campaign|offer|promotion|product|app|shop|store|restaurant|caf[eé]|bakery|studio|agency|club|course|service|business|startup|company|festival|opening|wedding|party|meet-?up|pricing|prices|menu|vacancy|job)\b/i
const questions =
  /^\s*(what|who|whom|whose|when|where|why|how|which|is|are|was|were|does|do|did|can|could|calculate|compute|solve|translate|explain|summari[sz]e|define)\b/i

/** A prompt that begins with what it wants: `A webinar on …`, `Bakery sale`. */
const namesOccasion = (prompt: string): boolean => occasions.test(prompt.slice(0, opening_length))

/** About a dozen words. */
const opening_length = 80

/**
 * Whether a prompt wants web content. A plain question does not, unless it also requests to create something. With a
 * template, any text that is no question counts as content of the page.
 */
export const asksForPage = (asked: string, options: { readonly hasTemplate: boolean }): boolean => {
  const prompt = spaced(asked)
  const isCreation = creationWords.test(prompt)
  if (questions.test(prompt) && !(isCreation && pageWords.test(prompt))) return false
  return (
    options.hasTemplate || pageWords.test(prompt) || (isCreation && occasions.test(prompt)) || namesOccasion(prompt)
  )
}
