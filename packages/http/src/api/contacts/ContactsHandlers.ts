// The handlers of contacts and of custom contact fields.
import type { ContactQuery } from "@tentpole/core/contacts/ContactStore"
import { Contacts, type ContactsWorkspace } from "@tentpole/core/contacts/Contacts"
import { CustomFields } from "@tentpole/core/contacts/CustomFields"
import { Memberships } from "@tentpole/core/flows/Memberships"
import { Lists } from "@tentpole/core/lists/Lists"
import { Mailability } from "@tentpole/core/sending/recipients/Mailability"
import { link_hours_default } from "@tentpole/core/tracking/PreferenceLink"
import { Preferences } from "@tentpole/core/tracking/Preferences"
import { ContactMerges } from "@tentpole/core/operations/merge/ContactMerges"
import { Effect, Layer } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, paged, pageOf, sliced } from "../../Wire.ts"
import { toRuleMetadata } from "../segments/RuleMetadataWire.ts"
import { type DeleteBatch, toCreateResults, toDeleteResults, toUpdateResults, toUpsertResults } from "./BatchWire.ts"
import { toFieldPatch, toFieldsWire, toFieldWire, toNewFields, toUsageWire } from "./ContactFieldsApi.ts"
import { toActivity, toContactWire, toListedContact } from "./ContactWire.ts"
import { toContactMembership, toListsOfContact, toMailable, toPreferencesLink } from "./ContactStateWire.ts"
import { toMergedContact, toMergeRequest } from "./MergeWire.ts"
import type { ContactsAnswer, ContactsQuery } from "./ContactsApi.ts"

const services = Effect.all({
  contacts: Contacts,
  lists: Lists,
  merges: ContactMerges,
  memberships: Memberships,
  mailability: Mailability,
  preferences: Preferences,
})

const contactsLayer = handlersOf(
  "contacts",
  services,
  ({ contacts, lists, mailability, memberships, merges, preferences }) => {
    const lookUp = (workspace: ContactsWorkspace, by: { readonly email: string } | { readonly phone: string }) =>
      Effect.map(contacts.findByIdentity(workspace, by), (found): typeof ContactsAnswer.Type => ({
        items: found.map(toContactWire),
      }))

    const deleteThese = ({ payload }: { readonly payload: typeof DeleteBatch.Type }, { id }: ContactsWorkspace) =>
      contacts.delete(id, payload.items).pipe(answer(toDeleteResults))

    return {
      list: ({ query }, workspace) =>
        query.email !== undefined
          ? lookUp(workspace, { email: query.email })
          : query.phone !== undefined
            ? lookUp(workspace, { phone: query.phone })
            : contacts.list(workspace.id, toQuery(query)).pipe(answer(paged("items", query, toListedContact))),
      create: ({ payload }, workspace) => contacts.create(workspace, payload.items).pipe(answer(toCreateResults)),
      upsert: ({ payload }, workspace) => contacts.upsert(workspace, payload.items).pipe(answer(toUpsertResults)),
      update: ({ payload }, workspace) => contacts.update(workspace, payload.items).pipe(answer(toUpdateResults)),
      delete: deleteThese,
      deleteThese,
      find: ({ params }, workspace) => contacts.get(workspace.id, params.contact_id).pipe(answer(toContactWire)),
      patch: ({ params, payload }, workspace) =>
        contacts.updateOne(workspace, params.contact_id, payload).pipe(answer(toContactWire)),
      deleteOne: ({ params }, { id }) => contacts.deleteOne(id, params.contact_id).pipe(answer(() => undefined)),
      merge: ({ params, payload }, { id }) =>
        merges.merge(id, params.contact_id, toMergeRequest(payload)).pipe(answer(toMergedContact)),
      activities: ({ params, query }, { id }) =>
        contacts
          .activities(id, params.contact_id, { order: "desc", ...query, ...pageOf(query) })
          .pipe(answer(paged("activities", query, toActivity))),
      lists: ({ params }, { id }) => lists.listByContact(id, params.contact_id).pipe(answer(toListsOfContact)),
      memberships: ({ params, query }, { id }) =>
        memberships
          .listByContact(id, params.contact_id, query)
          .pipe(answer(sliced("memberships", toContactMembership))),
      mailable: ({ params, query }, { id }) =>
        mailability
          .explain(id, params.contact_id, {
            operational: query.operational === "true",
            topicId: query.topic_id ?? null,
          })
          .pipe(answer(toMailable)),
      preferencesLink: ({ params, payload }, { id }) =>
        preferences
          .createLink(id, params.contact_id, payload?.expires_in_hours ?? link_hours_default)
          .pipe(answer(toPreferencesLink)),
    }
  },
)

const toQuery = (query: typeof ContactsQuery.Type): ContactQuery => ({
  ...pageOf(query),
  sort: query.sort ?? "created_at",
  order: query.order ?? "desc",
  search: query.search ?? null,
  updatedAfter: query.updated_after ?? null,
})

const fieldsLayer = handlersOf("contactFields", CustomFields, (fields) => ({
  list: ({ query }, { id }) => fields.list(id, query.status ?? "active").pipe(answer(toFieldsWire)),
  create: ({ payload }, { id }) => fields.create(id, ...toNewFields(payload)).pipe(answer(toFieldsWire)),
  ruleMetadata: (_, { id }) => fields.list(id, "active").pipe(answer(toRuleMetadata)),
  find: ({ params }, { id }) => fields.get(id, params.fieldDefinitionId).pipe(answer(toFieldWire)),
  usage: ({ params }, { id }) => fields.uses(id, params.fieldDefinitionId).pipe(answer(toUsageWire)),
  edit: ({ params, payload }, { id }) =>
    fields.update(id, params.fieldDefinitionId, toFieldPatch(payload)).pipe(answer(toFieldWire)),
  archive: ({ params }, { id }) => fields.archive(id, params.fieldDefinitionId).pipe(answer(() => undefined)),
}))

export const layer = Layer.merge(contactsLayer, fieldsLayer)
