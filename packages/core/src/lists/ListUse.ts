// The blasts, flows and lists that use a list, and the refusal to delete it that names them.
import { Schema } from "effect"
import type { ErrorCode } from "../kernel/ErrorCode.ts"

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

export class ListInUse extends Schema.TaggedError<ListInUse>()("ListInUse", {
  name: Schema.String,
  users: Schema.Array(ListUser),
  count: Schema.Int,
}) {
  readonly code = "contact_list_in_use" satisfies ErrorCode
  override get message(): string {
    const more = this.count - this.users.length
    const users = this.users.map(describeUser).join(", ") + (more > 0 ? ` and ${more} more` : "")
    return `"${this.name}" can't be deleted while it is used by ${users}. Unschedule or cancel the blasts, or let them end, pause the flows, and change the rules`
  }
  get extras() {
    return { used_by: this.users, used_by_count: this.count }
  }
}
