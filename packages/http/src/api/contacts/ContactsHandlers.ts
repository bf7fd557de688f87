// The calls on contacts, handled.
import type { Contact } from "@tentpole/core/contacts/Contact"
import { Contacts, type ContactsWorkspace } from "@tentpole/core/contacts/Contacts"
import type { ContactQuery } from "@tentpole/core/contacts/ContactStore"
import type { Paged } from "@tentpole/core/kernel/Page"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer, pageOf, pagination } from "../../Wire.ts"
import { toActivitiesAnswer } from "./ActivityWire.ts"
import { type DeleteBatch, toCreateResults, toDeleteResults, toUpdateResults, toUpsertResults } from "./BatchWire.ts"
import type { ActivitiesQuery, ContactsAnswer, ContactsQuery } from "./ContactsApi.ts"
import { toContactWire, toListedContact } from "./ContactWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "contacts",
  Effect.fn(function* (group) {
    const contacts = yield* Contacts

    const lookUp = (workspace: ContactsWorkspace, by: { readonly email: string } | { readonly phone: string }) =>
      Effect.map(contacts.lookUp(workspace, by), (found): typeof ContactsAnswer.Type => ({
        items: found.map(toContactWire),
      }))

    const deleteThese = ({ payload }: { readonly payload: typeof DeleteBatch.Type }) =>
      withWorkspace(({ id }) => contacts.delete(id, payload.items)).pipe(answer(toDeleteResults))

    return group.handleAll({
      list: ({ query }) =>
        withWorkspace((workspace) =>
          query.email !== undefined
            ? lookUp(workspace, { email: query.email })
            : query.phone !== undefined
              ? lookUp(workspace, { phone: query.phone })
              : contacts.page(workspace.id, toQuery(query)).pipe(answer((page) => toPage(toQuery(query), page))),
        ),
      create: ({ payload }) =>
        withWorkspace((workspace) => contacts.create(workspace, payload.items)).pipe(answer(toCreateResults)),
      upsert: ({ payload }) =>
        withWorkspace((workspace) => contacts.upsert(workspace, payload.items)).pipe(answer(toUpsertResults)),
      update: ({ payload }) =>
        withWorkspace((workspace) => contacts.update(workspace, payload.items)).pipe(answer(toUpdateResults)),
      delete: deleteThese,
      deleteThese,
      find: ({ params }) =>
        withWorkspace((workspace) => contacts.find(workspace.id, params.contact_id)).pipe(answer(toContactWire)),
      patch: ({ params, payload }) =>
        withWorkspace((workspace) => contacts.patch(workspace, params.contact_id, payload)).pipe(answer(toContactWire)),
      deleteOne: ({ params }) =>
        withWorkspace(({ id }) => contacts.deleteOne(id, params.contact_id)).pipe(answer(() => undefined)),
      activities: ({ params, query }) =>
        withWorkspace(({ id }) => contacts.activities(id, params.contact_id, toActivitiesQuery(query))).pipe(
          answer((page) => toActivitiesAnswer(toActivitiesQuery(query), page)),
        ),
    })
  }),
)

const toQuery = (query: typeof ContactsQuery.Type): ContactQuery => ({
  ...pageOf(query),
  sort: query.sort ?? "created_at",
  order: query.order ?? "desc",
  search: query.search ?? null,
  updatedAfter: query.updated_after ?? null,
})

const toActivitiesQuery = (query: typeof ActivitiesQuery.Type) => ({
  ...pageOf(query),
  order: query.order ?? "desc",
})

const toPage = (query: ContactQuery, { items, total }: Paged<Contact>): typeof ContactsAnswer.Type => ({
  items: items.map(toListedContact),
  pagination: pagination(query, total),
})
