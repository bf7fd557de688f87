// The use cases of the preference page: a person reads what they are subscribed to, and changes it. The page is reached by a link
// of a message, or by one for the caller's own app.
import { Context, DateTime, Effect, Layer, Option } from "effect"
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
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { consentActs, leftTopic } from "./ConsentActs.ts"
import type { TrackedDelivery } from "./Engagement.ts"
import { EngagementStore } from "./EngagementStore.ts"
import {
  answeredSteps,
  granting,
  hasEndedAll,
  type PreferenceAnswer,
  type ShownTopic,
  shownTopics,
} from "./PreferenceChoices.ts"
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
      const consents = yield* ConsentStore
      const engagement = yield* EngagementStore
      const suppressions = yield* SuppressionStore
      const workspaces = yield* WorkspaceStore
      const links = yield* Links
      const ownLinks = yield* preferenceLinks
      const acts = yield* consentActs
      const { transact } = yield* Transactor

      /** Who reads the page. The contact of a link without a message is not read. */
      const readerOf = Effect.fnUntraced(function* (token: string): Effect.fn.Return<Reader, NotFound> {
        const message = Option.getOrNull(links.read("unsubscribe", token))
        if (message !== null) {
          const delivery = yield* engagement.get(message.workspaceId, message.deliveryId)
          return { workspaceId: message.workspaceId, contactId: delivery.contact?.id ?? null, delivery }
        }
        const target = ownLinks.read(token, yield* DateTime.now)
        if (target === null) return yield* notFound
        return { ...target, delivery: null }
      })

      const pageOf = Effect.fnUntraced(function* ({ contactId, delivery, workspaceId }: Reader) {
        if (contactId === null) {
          const { brand: owner } = yield* workspaces.get(workspaceId)
          return { owner, address: delivery.email, unsubscribed: delivery.suppressed, topics: [] }
        }
        const facts = yield* consents.preferences(workspaceId, contactId)
        const address = delivery === null ? facts.email : delivery.email
        return { owner: facts.brand, address, unsubscribed: hasEndedAll(facts), topics: shownTopics(facts.topics) }
      })

      /** No address changes: none can be taken. */
      const applyContact = (workspace: WorkspaceId, change: ContactsChange) =>
        Effect.catchTag(contacts.apply(workspace, change), "IdentityTaken", Effect.die)

      const evidenceFor = ({ delivery }: Reader, visitor: Visitor) =>
        evidenceOf("preference_page", { ...visitor, messageId: delivery?.id ?? null })

      /** Writes an answer on the contact and the choices as they are now, locked. */
      const saveAnswer = Effect.fnUntraced(function* (
        reader: ReadingContact,
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
        const [contact] = yield* contacts.lock(workspaceId, { emails: [], phones: [], ids: [reader.contactId] })
        if (contact === undefined) return yield* notFound
        yield* consents.lock(workspaceId, [contact.id], [...shown])
        const facts = yield* consents.preferences(workspaceId, contact.id)
        const evidence = evidenceFor(reader, visitor)
        const before = { id: contact.id, unsubscribed: hasEndedAll(facts) }
        const steps = answeredSteps(before, shownTopics(facts.topics), { shown, ticked }, { at, evidence })
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
        { contactId: id, workspaceId }: ReadingContact,
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
          if (reader.contactId !== null) yield* transact(saveAnswer(reader, answer, visitor))
          return yield* pageOf(reader)
        }),

        unsubscribe: Effect.fn("Preferences.unsubscribe")(function* (token, visitor) {
          const reader = yield* readerOf(token)
          const evidence = evidenceFor(reader, visitor)
          if (reader.delivery !== null) {
            const target = { workspaceId: reader.workspaceId, deliveryId: reader.delivery.id }
            yield* transact(acts.endAll(target, { evidence, at: yield* DateTime.now }))
          } else if (reader.contactId !== null) {
            yield* transact(endByContact(reader, evidence))
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

interface ReadingContact {
  readonly workspaceId: WorkspaceId
  readonly contactId: ContactId
  /** Null: the link is not of a message. */
  readonly delivery: TrackedDelivery | null
}

/** The message went to an address that is no contact's, or the contact has been deleted. */
interface ReadingStranger {
  readonly workspaceId: WorkspaceId
  readonly contactId: null
  readonly delivery: TrackedDelivery
}

type Reader = ReadingContact | ReadingStranger

const notFound = new NotFound({ resource: "page" })
