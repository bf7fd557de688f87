// The handlers of contact lists and of exports of their members.
import { Exports } from "@tentpole/core/exports/Exports"
import type { MemberQuery } from "@tentpole/core/lists/ListStore"
import { Lists } from "@tentpole/core/lists/Lists"
import { Layer } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, paged, pageOf, toCamelCase } from "../../Wire.ts"
import { toBegun, toFollowed } from "../exports/ExportEndpoints.ts"
import { type MembersQuery, toListUsage, toListWire, toMember, toMemberCount, toMoved } from "./ListsApi.ts"

const listsLayer = handlersOf("lists", Lists, (lists) => ({
  list: ({ query }, { id }) =>
    lists
      .list(id, { search: null, kind: null, ...query, ...pageOf(query) })
      .pipe(answer(paged("lists", query, toListWire))),
  create: ({ payload }, { id }) =>
    lists.create(id, { description: null, ...toCamelCase(payload) }).pipe(answer(toListWire)),
  edit: ({ params, payload }, { id }) => lists.update(id, params.listId, payload).pipe(answer(toListWire)),
  remove: ({ params }, { id }) => lists.delete(id, params.listId).pipe(answer(() => undefined)),
  find: ({ params }, { id }) => lists.get(id, params.listId).pipe(answer(toListWire)),
  usage: ({ params }, { id }) => lists.uses(id, params.listId).pipe(answer(toListUsage)),
  members: ({ params, query }, { id }) =>
    lists.members(id, params.listId, toMemberQuery(query)).pipe(answer(paged("contacts", query, toMember))),
  addMembers: ({ params, payload }, { id }) =>
    lists.addMembers(id, params.listId, payload.contact_ids).pipe(answer(toMoved("added_count"))),
  removeMembers: ({ params, payload }, { id }) =>
    lists.removeMembers(id, params.listId, payload.contact_ids).pipe(answer(toMoved("removed_count"))),
  memberCount: ({ params }, { id }) => lists.memberCount(id, params.listId).pipe(answer(toMemberCount)),
}))

/** If both flags are set, `exclude_unsubscribed` takes precedence. */
const toMemberQuery = (query: typeof MembersQuery.Type): MemberQuery => ({
  ...pageOf(query),
  sort: query.sort ?? "updated_at",
  order: query.order ?? "desc",
  search: query.search ?? null,
  unsubscribed: query.exclude_unsubscribed !== undefined ? false : query.only_unsubscribed !== undefined ? true : null,
})

const exportsLayer = handlersOf("listExports", Exports, (exports) => ({
  begin: ({ params: { listId }, payload }, { id }) =>
    exports
      .create(id, { kind: "list", listId, excludeUnsubscribed: payload?.exclude_unsubscribed ?? false })
      .pipe(answer(toBegun)),
  find: ({ params: { listId, exportId } }, { id }) =>
    exports.get(id, { kind: "list", listId }, exportId).pipe(answer(toFollowed)),
}))

export const layer = Layer.merge(listsLayer, exportsLayer)
