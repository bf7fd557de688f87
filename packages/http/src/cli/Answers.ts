// Results of commands that call the API: a text for people, or one JSON document. And names that stand for ids.
import { page_limit_max, uuidId } from "@tentpole/core/kernel/Page"
import { fold } from "@tentpole/core/kernel/Text"
import type { Blast, Client, Contact, ContactList, Pagination } from "@tentpole/client"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { counted, countOf } from "./Figures.ts"
import { withClient } from "./Remote.ts"
import { jsonFlag, print, type Result } from "./Output.ts"
import { Screen } from "./Screen.ts"
import { tableOf } from "./Table.ts"
import { BadUsage } from "./Usage.ts"

/** A command that calls the API and prints the result. */
export const callCommand = <const Name extends string, const Config extends Command.Command.Config>(
  name: Name,
  description: string,
  config: Config,
  call: (client: Client, input: Command.Command.Config.InferValue<Config>) => Promise<Result>,
) =>
  Command.make(name, { json: jsonFlag, input: config }, ({ input, json }) =>
    Effect.flatMap(
      withClient((client) => call(client, input)),
      (result) => print(json, result),
    ),
  ).pipe(Command.withDescription(description))

export const yesFlag = Flag.Boolean("yes").pipe(Flag.withDescription("Does not ask"), Flag.withDefault(false))

/** Refuses, before any work, a command that could not ask. */
export const askable = Effect.fnUntraced(function* ({ yes }: { readonly yes: boolean }) {
  const { canAsk } = yield* Screen
  if (!yes && !canAsk) {
    return yield* new BadUsage({ reason: "There is no terminal to ask for a confirmation: add --yes." })
  }
})

/** Asks, unless `yes` is set. */
export const confirmed = Effect.fnUntraced(function* (question: string, { yes }: { readonly yes: boolean }) {
  if (yes) return true
  const { ask } = yield* Screen
  return /^\s*y(es)?\s*$/i.test(yield* Effect.promise(() => ask(`${question} [y/N] `)))
})

export const limitFlag = Flag.Int("limit").pipe(
  Flag.withDescription("Maximum number of entries"),
  Flag.filter(
    (limit) => limit >= 1,
    (limit) => `Expected a number from 1, got ${limit}`,
  ),
  Flag.withDefault(25),
)

/** The size of the pages for so many entries. */
export const pageLimit = (limit: number): number => Math.min(limit, page_limit_max)

/** The first entries of a listing, and how many there are. */
export const firstOf = async <Page extends { readonly pagination?: Pagination }, Entry>(
  pages: AsyncIterable<Page>,
  entriesOf: (page: Page) => ReadonlyArray<Entry>,
  limit: number,
): Promise<{ readonly entries: ReadonlyArray<Entry>; readonly total: number }> => {
  const entries: Array<Entry> = []
  let total = 0
  for await (const page of pages) {
    entries.push(...entriesOf(page))
    total = page.pagination?.total ?? entries.length
    if (entries.length >= limit) break
  }
  return { entries: entries.slice(0, limit), total }
}

/** Contacts, or members of a list. */
export const peopleTable = (
  people: ReadonlyArray<Omit<Contact, "custom_fields">>,
  total: number,
  noun: string,
): string => {
  const rows = people.map(({ city, contact_id, display_name, email, first_name, last_name, phone, unsubscribed }) => ({
    contact_id,
    email,
    name: display_name ?? ([first_name, last_name].filter((part) => part !== null).join(" ") || null),
    phone,
    city,
    unsubscribed: unsubscribed ? "yes" : null,
  }))
  return `${rows.length === 0 ? "" : `${tableOf(rows)}\n`}${counted(rows.length)} of ${countOf(total, noun)}.`
}

/** The only entry of this name. */
const named = async <Entry>(
  resource: string,
  name: string,
  entries: AsyncIterable<Entry>,
  of: (entry: Entry) => { readonly name: string; readonly id: string },
): Promise<Entry> => {
  const found: Array<Entry> = []
  for await (const entry of entries) if (fold(of(entry).name) === fold(name)) found.push(entry)
  const [first, ...others] = found
  if (first === undefined) {
    throw new Error(`No ${resource} has the name ${name}. \`tentpole ${resource} list\` shows all.`)
  }
  if (others.length === 0) return first
  throw new Error(`Several have the name ${name}. Use an id: ${found.map((each) => of(each).id).join(", ")}.`)
}

export const isId = (text: string): boolean => uuidId.test(text.toLowerCase())

export const listOf = (client: Client, text: string): Promise<ContactList> =>
  isId(text)
    ? client.lists.find({ params: { listId: text } })
    : named("list", text, client.lists.list.each({ query: { search: text, limit: page_limit_max } }), (each) => ({
        name: each.name,
        id: each.list_id,
      }))

/** Reads the blast again when it was found by its name: listings have no readiness. */
export const blastOf = async (client: Client, text: string): Promise<Blast> => {
  const candidates = client.blasts.list.each({ query: { search: text, status: "any", limit: page_limit_max } })
  const blastId = isId(text)
    ? text
    : (await named("blast", text, candidates, (each) => ({ name: each.name, id: each.blast_id }))).blast_id
  return client.blasts.find({ params: { blastId } })
}
