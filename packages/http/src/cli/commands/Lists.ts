// The commands `tentpole list …`: contact lists and their members.
import type { ContactList, CreateContactList } from "@tentpole/client"
import { Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { callCommand, firstOf, limitFlag, listOf, pageLimit, peopleTable } from "../Answers.ts"
import { countOf } from "../Figures.ts"
import { jsonOrFile } from "../Remote.ts"
import { commandGroup } from "../Output.ts"
import { fieldsOf, tableOf } from "../Table.ts"

const listArgument = Argument.String("list").pipe(Argument.withDescription("Name or id of the list"))

const textOf = ({ description, kind, list_id, member_count, name, rules, updated_at }: ContactList): string =>
  fieldsOf({ name, list_id, kind, members: member_count, description, rules, updated_at })

const list = callCommand(
  "list",
  "Lists the contact lists, newest first",
  { limit: limitFlag },
  async (client, input) => {
    const pages = client.lists.list.pages({ query: { limit: pageLimit(input.limit) } })
    const { entries, total } = await firstOf(pages, ({ lists }) => lists, input.limit)
    const rows = entries.map(({ kind, list_id, member_count, name, updated_at }) => ({
      list_id,
      name,
      kind,
      members: member_count,
      updated_at,
    }))
    return { document: entries, text: `${tableOf(rows)}\n${entries.length} of ${countOf(total, "list")}.` }
  },
)

const create = callCommand(
  "create",
  "Creates a static list, or with --rules a dynamic one",
  {
    name: Argument.String("name"),
    description: Flag.String("description").pipe(Flag.withDescription("Description of the list"), Flag.optional),
    rules: Flag.String("rules").pipe(
      Flag.withDescription("Rules of a dynamic list: JSON, or @file. See docs/audience.md"),
      Flag.optional,
    ),
  },
  async (client, input) => {
    const rules = Option.isNone(input.rules) ? null : await jsonOrFile(input.rules.value)
    const payload: CreateContactList = {
      name: input.name,
      kind: rules === null ? "static" : "dynamic",
      ...(Option.isSome(input.description) ? { description: input.description.value } : {}),
      // The API validates them.
      ...(rules === null ? {} : { rules: rules as NonNullable<CreateContactList["rules"]> }),
    }
    const created = await client.lists.create({ payload })
    return { document: created, text: textOf(created) }
  },
)

const get = callCommand(
  "get",
  "Shows a list and the number of its members",
  { list: listArgument },
  async (client, it) => {
    const found = await listOf(client, it.list)
    const { member_count } = await client.lists.memberCount({ params: { listId: found.list_id } })
    return { document: { ...found, member_count }, text: textOf({ ...found, member_count }) }
  },
)

const members = callCommand(
  "members",
  "Lists the members of a list",
  { list: listArgument, limit: limitFlag },
  async (client, input) => {
    const { list_id } = await listOf(client, input.list)
    const pages = client.lists.members.pages({ params: { listId: list_id }, query: { limit: pageLimit(input.limit) } })
    const { entries, total } = await firstOf(pages, ({ contacts }) => contacts, input.limit)
    return { document: entries, text: peopleTable(entries, total, "member") }
  },
)

/** The group has the name of its first command. */
const lists = commandGroup("list", "Contact lists: list, create, get, members", [list, create, get, members])

export { lists as list }
