// The use cases of the preference page: a person reads what they are subscribed to, and changes it. The page is reached by a link
// of a message, or by one for the caller's own app.
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import { patchContact } from "../contacts/ContactPatch.ts"
import { ContactsChange } from "../contacts/ContactsChange.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import type { ContactId, DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { Links } from "../rendering/Links.ts"
import { SuppressionStore } from "../sending/SuppressionStore.ts"
import type { PageOwner } from "../tents/pages/PageHead.ts"
import { type Evidence, evidenceOf } from "../topics/ConsentRecord.ts"
import { ConsentStore } from "../topics/ConsentStore.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { consentActs, leftTopic } from "./ConsentActs.ts"
import type { TrackedDelivery } from "./Engagement.ts"
import { EngagementStore } from "./EngagementStore.ts"
import { answeredSteps, granting, type PreferenceAnswer, type ShownTopic, shownTopics } from "./PreferenceChoices.ts"
import { preferenceLinks } from "./PreferenceLink.ts"

/** The visitor, as evidence records them. */
export type Visitor = Pick<Evidence, "ipPrefix" | "userAgent">

/** The data of the page. */
export interface PreferencePage {
  readonly owner: PageOwner
  /** Null when it has been erased. */
  readonly address: string | null
  /** From all marketing. */
  readonly unsubscribed: boolean
  /** Empty for a recipient without contact. */
  readonly topics: ReadonlyArray<ShownTopic>
}

/** A token that is invalid, expired or for another purpose fails with `NotFound`, as does one of a deleted delivery or contact. */
export class Preferences extends Context.Service<
  Preferences,
  {
    /** Changes nothing. */
    readonly get: (token: string) => Effect.Effect<PreferencePage, NotFound>
    /** Topics that the page does not show to this person are ignored. */
    readonly update: (
      token: string,
      answer: PreferenceAnswer,
      visitor: Visitor,
    ) => Effect.Effect<PreferencePage, NotFound>
    /** Ends all marketing. May be repeated. */
    readonly unsubscribe: (token: string, visitor: Visitor) => Effect.Effect<PreferencePage, NotFound>
    /** The page of a contact, for the caller's own app. */
    readonly createLink: (
      workspace: WorkspaceId,
      contact: ContactId,
      hours: number,
    ) => Effect.Effect<{ readonly url: string; readonly expiresAt: DateTime.Utc }, NotFound>
  }
>()("tentpole/Preferences") {
  static readonly layer = Layer.effect(
    Preferences,
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const topics = yield* TopicStore
      const consents = yield* ConsentStore
      const engagement = yield* EngagementStore
      const suppressions = yield* SuppressionStore
      const workspaces = yield* WorkspaceStore
      const links = yield* Links
      const ownLinks = yield* preferenceLinks
      const acts = yield* consentActs
      const { transact } = yield* Transactor

      /** Who reads the page. */
      const readerOf = Effect.fnUntraced(function* (token: string): Effect.fn.Return<Reader, NotFound> {
        const message = Option.getOrNull(links.read("unsubscribe", token))
        if (message !== null) {
          const delivery = yield* engagement.get(message.workspaceId, message.deliveryId)
          const { contact, email: address } = delivery
          return { workspaceId: message.workspaceId, contact, address, delivery }
        }
        const target = ownLinks.read(token, yield* DateTime.now)
        if (target === null) return yield* notFound
        const contact = yield* contacts.get(target.workspaceId, target.contactId)
        return { workspaceId: target.workspaceId, contact, address: contact.email, delivery: null }
      })

      const isUnsubscribed = Effect.fnUntraced(function* ({ contact, delivery, workspaceId }: Reader) {
        if (contact === null) return delivery?.suppressed ?? false
        if (contact.unsubscribed || contact.emailNormalized === null) return contact.unsubscribed
        const found = yield* Effect.option(suppressions.get(workspaceId, contact.emailNormalized))
        return Option.isSome(found) && found.value.reason === "unsubscribe"
      })

      const pageOf = Effect.fnUntraced(function* (reader: Reader) {
        const { address, contact, workspaceId } = reader
        const { brand } = yield* workspaces.get(workspaceId)
        const all = contact === null ? [] : yield* topics.list(workspaceId)
        const choices = contact === null ? [] : yield* consents.choices(workspaceId, [contact.id], null)
        const shown = shownTopics(
          all.map(({ topic }) => topic),
          choices,
        )
        return { owner: brand, address, unsubscribed: yield* isUnsubscribed(reader), topics: shown }
      })

      /** No address changes: none can be taken. */
      const applyContact = (workspace: WorkspaceId, change: ContactsChange) =>
        Effect.catchTag(contacts.apply(workspace, change), "IdentityTaken", Effect.die)

      const evidenceFor = ({ delivery }: Reader, visitor: Visitor) =>
        evidenceOf("preference_page", { ...visitor, messageId: delivery?.id ?? null })

      /** Writes an answer on the contact and the choices as they are now, locked. */
      const saveAnswer = Effect.fnUntraced(function* (
        reader: Reader & { readonly contact: Contact },
        { shown, ticked }: PreferenceAnswer,
        visitor: Visitor,
      ) {
        const { delivery, workspaceId } = reader
        const at = yield* DateTime.now
        // Deliveries are locked before their contacts, as everywhere.
        const sent =
          delivery === null
            ? new Map<DeliveryId, TrackedDelivery>()
            : yield* engagement.lock(workspaceId, [delivery.id])
        const [contact] = yield* contacts.lock(workspaceId, { emails: [], phones: [], ids: [reader.contact.id] })
        if (contact === undefined) return yield* notFound
        const asked = yield* topics.many(workspaceId, [...shown])
        const known = asked.map(({ id }) => id)
        const choices = yield* consents.lock(workspaceId, [contact.id], known)
        const evidence = evidenceFor(reader, visitor)
        const unsubscribed = yield* isUnsubscribed({ ...reader, contact })
        const before = { id: contact.id, unsubscribed }
        const steps = answeredSteps(before, shownTopics(asked, choices), { shown, ticked }, { at, evidence })
        yield* acts.write(workspaceId, steps)
        if (
          delivery !== null &&
          steps.some(({ action, of }) => action === "withdrawn" && of?.topic.id === delivery.topicId)
        ) {
          yield* engagement.apply(workspaceId, leftTopic(sent, delivery.id, at))
        }
        if (!steps.some(({ action }) => action === "granted")) return
        const after = patchContact(contact, granting(contact), at)
        yield* applyContact(workspaceId, ContactsChange.of([{ before: contact, after, at, resubscribes: true }]))
      })

      /** Without a message: the contact's flag, the suppression of its address, and the evidence. */
      const endByContact = Effect.fnUntraced(function* (
        { contact: { id }, workspaceId }: Reader & { readonly contact: Contact },
        evidence: Evidence,
      ) {
        const at = yield* DateTime.now
        const [contact] = yield* contacts.lock(workspaceId, { emails: [], phones: [], ids: [id] })
        if (contact === undefined) return yield* notFound
        if (contact.emailNormalized !== null) {
          const suppression = { email: contact.emailNormalized, reason: "unsubscribe", createdAt: at } as const
          yield* suppressions.suppress(workspaceId, suppression)
        }
        if (contact.unsubscribed) return
        const after = patchContact(contact, { unsubscribed: true }, at)
        yield* applyContact(workspaceId, ContactsChange.of([{ before: contact, after, at }]))
        yield* acts.write(workspaceId, [{ contactId: id, action: "withdrawn", evidence, at, of: null }])
      })

      return Preferences.of({
        get: Effect.fn("Preferences.get")(function* (token) {
          return yield* pageOf(yield* readerOf(token))
        }),

        update: Effect.fn("Preferences.update")(function* (token, answer, visitor) {
          const reader = yield* readerOf(token)
          const { contact } = reader
          if (contact !== null) yield* transact(saveAnswer({ ...reader, contact }, answer, visitor))
          return yield* pageOf(yield* readerOf(token))
        }),

        unsubscribe: Effect.fn("Preferences.unsubscribe")(function* (token, visitor) {
          const reader = yield* readerOf(token)
          const { contact, delivery, workspaceId } = reader
          const evidence = evidenceFor(reader, visitor)
          if (delivery !== null) {
            const at = yield* DateTime.now
            yield* transact(acts.endAll({ workspaceId, deliveryId: delivery.id }, { evidence, at }))
          } else if (contact !== null) {
            yield* transact(endByContact({ ...reader, contact }, evidence))
          }
          return yield* pageOf(yield* readerOf(token))
        }),

        createLink: Effect.fn("Preferences.createLink")(function* (workspaceId, id, hours) {
          const contact = yield* contacts.get(workspaceId, id)
          const until = DateTime.add(yield* DateTime.now, { hours })
          const expiresAt = DateTime.makeUnsafe(Math.floor(until.epochMilliseconds / 1000) * 1000)
          return { url: ownLinks.urlOf({ workspaceId, contactId: contact.id }, expiresAt), expiresAt }
        }),
      })
    }),
  )
}

interface Reader {
  readonly workspaceId: WorkspaceId
  /** Null: the message went to an address that is no contact's, or the contact has been deleted. */
  readonly contact: Contact | null
  readonly address: string | null
  /** Null: the link is not of a message. */
  readonly delivery: (TrackedDelivery & { readonly id: DeliveryId }) | null
}

const notFound = new NotFound({ resource: "page" })
