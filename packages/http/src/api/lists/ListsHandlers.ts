// The calls on contact lists, handled.
import { Lists, type ShownList } from "@tentpole/core/lists/Lists"
import type { ListQuery, Member, MemberQuery } from "@tentpole/core/lists/ListStore"
import type { Paged } from "@tentpole/core/kernel/Page"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer, pageOf, pagination } from "../../Wire.ts"
import type { ListsAnswer, ListsQuery, MembersAnswer, MembersQuery } from "./ListsApi.ts"
import { toAdded, toListPatch, toListWire, toMember, toMemberCount, toRemoved } from "./ListWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "lists",
  Effect.fn(function* (group) {
    const lists = yield* Lists
    return group.handleAll({
      list: ({ query }) =>
        withWorkspace(({ id }) => lists.page(id, toListQuery(query))).pipe(
          answer((page) => toListsAnswer(toListQuery(query), page)),
        ),
      create: ({ payload }) =>
        withWorkspace(({ id }) =>
          lists.create(id, {
            name: payload.name,
            kind: payload.kind,
            description: payload.description ?? null,
            ...(payload.rules === undefined ? {} : { rules: payload.rules }),
            ...(payload.contact_ids === undefined ? {} : { contactIds: payload.contact_ids }),
          }),
        ).pipe(answer(toListWire)),
      edit: ({ params, payload }) =>
        withWorkspace(({ id }) => lists.edit(id, params.listId, toListPatch(payload))).pipe(answer(toListWire)),
      remove: ({ params }) => withWorkspace(({ id }) => lists.remove(id, params.listId)).pipe(answer(() => undefined)),
      find: ({ params }) => withWorkspace(({ id }) => lists.find(id, params.listId)).pipe(answer(toListWire)),
      members: ({ params, query }) =>
        withWorkspace(({ id }) => lists.members(id, params.listId, toMemberQuery(query))).pipe(
          answer((page) => toMembersAnswer(toMemberQuery(query), page)),
        ),
      addMembers: ({ params, payload }) =>
        withWorkspace(({ id }) => lists.addMembers(id, params.listId, payload.contact_ids)).pipe(answer(toAdded)),
      removeMembers: ({ params, payload }) =>
        withWorkspace(({ id }) => lists.removeMembers(id, params.listId, payload.contact_ids)).pipe(answer(toRemoved)),
      memberCount: ({ params }) =>
        withWorkspace(({ id }) => lists.memberCount(id, params.listId)).pipe(answer(toMemberCount)),
    })
  }),
)

const toListQuery = (query: typeof ListsQuery.Type): ListQuery => ({
  ...pageOf(query),
  search: query.search ?? null,
  kind: query.kind ?? null,
})

const toListsAnswer = (query: ListQuery, { items, total }: Paged<ShownList>): typeof ListsAnswer.Type => ({
  lists: items.map(toListWire),
  pagination: pagination(query, total),
})

/** Who wants both without and only the unsubscribed gets the list without them. */
const toMemberQuery = (query: typeof MembersQuery.Type): MemberQuery => ({
  ...pageOf(query),
  sort: query.sort ?? "updated_at",
  order: query.order ?? "desc",
  search: query.search ?? null,
  unsubscribed: query.exclude_unsubscribed !== undefined ? false : query.only_unsubscribed !== undefined ? true : null,
})

const toMembersAnswer = (query: MemberQuery, { items, total }: Paged<Member>): typeof MembersAnswer.Type => ({
  contacts: items.map(toMember),
  pagination: pagination(query, total),
})
