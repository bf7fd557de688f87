// The commands `tentpole contact …`: reading and importing contacts, and export and erasure of the personal data of one.
import type { Client, Contact } from "@tentpole/client"
import { type MergeSide, mergeSides } from "@tentpole/core/contacts/Merge"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { callCommand, firstOf, isId, limitFlag, pageLimit, peopleTable } from "../../Answers.ts"
import { workspaceCommand } from "../../OverPorts.ts"
import { commandGroup, jsonOf } from "../../Output.ts"
import { fieldsOf } from "../../Table.ts"
import { importContacts } from "./ContactImport.ts"

const list = callCommand(
  "list",
  "Lists the contacts, newest first",
  {
    search: Flag.String("search").pipe(Flag.withDescription("Text in the name, address or number"), Flag.optional),
    limit: limitFlag,
  },
  async (client, { limit, search }) => {
    const query = { limit: pageLimit(limit), ...(Option.isSome(search) ? { search: search.value } : {}) }
    const { entries, total } = await firstOf(client.contacts.list.pages({ query }), ({ items }) => items, limit)
    return { document: entries, text: peopleTable(entries, total, "contact") }
  },
)

/** Finds a contact by id, email address or phone number. */
const contactOf = async (client: Client, text: string): Promise<Contact> => {
  if (isId(text)) return client.contacts.find({ params: { contact_id: text } })
  const { items } = await client.contacts.list({ query: text.includes("@") ? { email: text } : { phone: text } })
  const [found] = items
  if (found === undefined) throw new Error(`No contact has the email address or phone number ${text}.`)
  return client.contacts.find({ params: { contact_id: found.contact_id } })
}

const get = callCommand(
  "get",
  "Shows a contact",
  { contact: Argument.String("contact").pipe(Argument.withDescription("Email address, phone number or id")) },
  async (client, input) => {
    const { custom_fields, ...contact } = await contactOf(client, input.contact)
    return { document: { ...contact, custom_fields }, text: fieldsOf({ ...contact, ...custom_fields }) }
  },
)

/** `city=source`: the contact whose value stays, by field. */
const sidesOf = (chosen: Readonly<Record<string, string>>): Readonly<Record<string, MergeSide>> =>
  Object.fromEntries(
    Object.entries(chosen).map(([name, value]) => {
      const side = mergeSides.find((each) => each === value)
      if (side === undefined) throw new Error(`--field ${name}=${value} must be ${name}=target or ${name}=source.`)
      return [name, side]
    }),
  )

const merge = callCommand(
  "merge",
  "Merges a contact into another one, which keeps its id. This cannot be undone",
  {
    contact: Argument.String("contact").pipe(Argument.withDescription("Email address, phone number or id. It stays")),
    source: Argument.String("source").pipe(Argument.withDescription("Email address, phone number or id. It ends")),
    prefer: Flag.Literals("prefer", mergeSides).pipe(
      Flag.withDescription("The contact whose values stay: target (the first one) or source"),
      Flag.withDefault("target" as const),
    ),
    fields: Flag.KeyValuePair("field").pipe(
      Flag.withDescription("A field, and the contact whose value stays: city=source. May be repeated"),
      Flag.withDefault({}),
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Prints the result, and changes nothing"),
      Flag.withDefault(false),
    ),
  },
  async (client, { contact, dryRun, fields, prefer, source }) => {
    const target = await contactOf(client, contact)
    const { contact_id: source_contact_id } = await contactOf(client, source)
    const document = await client.contacts.merge({
      params: { contact_id: target.contact_id },
      payload: { source_contact_id, prefer, fields: sidesOf(fields), dry_run: dryRun },
    })
    const { custom_fields, merged, ...standard } = document
    const dropped_memberships = merged.dropped_memberships.length
    return { document, text: fieldsOf({ ...standard, ...custom_fields, ...merged, dropped_memberships }) }
  },
)

/** Its use cases are loaded when it runs: other commands call the API. */
const privacy = Effect.promise(() => import("./ContactPrivacy.ts"))

const config = { contact: Argument.String("contact-id").pipe(Argument.withSchema(ContactId)) }

export const contact = commandGroup("contact", "Contacts: list, get, import, merge, export, erase", [
  list,
  get,
  importContacts,
  merge,
  workspaceCommand(
    "export",
    "Prints all stored data of a contact as JSON",
    config,
    (workspace, input) => Effect.flatMap(privacy, ({ exportOf }) => exportOf(workspace, input.contact)),
    jsonOf,
  ),
  workspaceCommand(
    "erase",
    "Deletes a contact and removes its personal data from all tables and files. This cannot be undone",
    config,
    (workspace, input) => Effect.flatMap(privacy, ({ erase }) => erase(workspace, input.contact)),
  ),
])
