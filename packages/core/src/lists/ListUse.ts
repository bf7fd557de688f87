// The blasts, flows and lists that use a list, and the refusal to delete it that names them.
import { Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"

/** The most users that a refusal names. `count` includes all. */
export const list_users_max = 20

/** A scheduled or sending blast with the list as audience, an active flow, or a dynamic list whose rules name it. */
export const ListUser = Schema.Struct({
  type: Schema.Literals(["blast", "contact_list", "flow"]),
  id: Schema.String.annotate({ format: "uuid" }),
  name: Schema.String,
})
export type ListUser = typeof ListUser.Type

export interface ListUses {
  /** Blasts, then lists, then flows, each sorted by name; at most `list_users_max`. */
  readonly users: ReadonlyArray<ListUser>
  /** The number of all users. */
  readonly count: number
}

const nouns: { readonly [Type in ListUser["type"]]: string } = {
  blast: "the email blast",
  contact_list: "the rules of the contact list",
  flow: "the flow",
}

const describeUser = ({ type, name }: ListUser): string => `${nouns[type]} "${name}"`

export class ListInUse extends refusalClass<ListInUse>()("ListInUse", {
  code: "contact_list_in_use",
  fields: { name: Schema.String, users: Schema.Array(ListUser), count: Schema.Int },
  message: (it) => {
    const more = it.count - it.users.length
    const users = it.users.map(describeUser).join(", ") + (more > 0 ? ` and ${more} more` : "")
    return `"${it.name}" can't be deleted while it is used by ${users}. Unschedule or cancel the blasts, or let them end, pause the flows, and change the rules`
  },
  extras: ({ count, users }) => ({ used_by: users, used_by_count: count }),
}) {}
