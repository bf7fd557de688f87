// Messages that the service sends by itself, such as confirmation mails: prepared beforehand, and accepted in the transaction of what
// they belong to.
import { type DateTime, Effect } from "effect"
import { FreePlanEmailLimit } from "../blasts/Readiness.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { ContactId, EmailId, WorkspaceId } from "../kernel/Ids.ts"
import type { EmailAddress } from "../kernel/values/EmailAddress.ts"
import { EmailMessageStore } from "./EmailMessageStore.ts"
import { sourceParts } from "./MessageSources.ts"
import { type NewMessage, noHeader } from "./NewMessage.ts"
import { preparation, type PreparedMessage } from "./Preparation.ts"

export const serviceMessages = Effect.gen(function* () {
  const store = yield* EmailMessageStore
  const partsOf = yield* sourceParts
  const { emailsPerDay_max, prepare, withParts } = yield* preparation

  return {
    /** The contact of an address, and whether it is suppressed. */
    factsOf: Effect.fnUntraced(function* (workspace: WorkspaceId, { normalized }: EmailAddress) {
      const { contacts, suppressions } = yield* store.facts(workspace, { emails: [normalized], contactIds: [] })
      return { contact: contacts[0] ?? null, suppression: suppressions[0] ?? null }
    }),

    /** Whether the approved version of an email has a token. */
    hasToken: (workspace: WorkspaceId, emailId: EmailId, name: string) =>
      Effect.map(partsOf(workspace, { kind: "email", emailId }, noHeader), ({ tokens }) =>
        tokens.some((token) => token.name === name && !token.malformed),
      ),

    /** For a contact that may not be stored yet. The message has no topic, and may be blocked. */
    prepare: Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      message: NewMessage,
      contact: Contact,
      now: DateTime.Utc,
    ) {
      const { emailNormalized } = contact
      const { suppressions } = yield* store.facts(workspace, { emails: [emailNormalized ?? ""], contactIds: [] })
      const facts = { contacts: [contact], suppressions, topics: [], choices: [] }
      const prepared = Effect.flatMap(withParts(workspace, message), (each) => prepare(workspace, each, facts, now))
      return yield* Effect.catchTag(prepared, "TopicArchived", Effect.die)
    }),

    /** In a transaction: stores the message for its contact, unless the plan allows no more emails today. */
    accept: Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      { accepted }: PreparedMessage,
      contactId: ContactId,
      now: DateTime.Utc,
    ) {
      const limit = yield* emailsPerDay_max(workspace)
      if (limit !== null) {
        const current = yield* store.usedToday(workspace, now)
        if (current >= limit) {
          return yield* new FreePlanEmailLimit({ reason: "daily_email_limit", limit, current, needed: 1 })
        }
      }
      const message = { ...accepted.message, contactId }
      yield* store.accept(workspace, [{ messages: [{ ...accepted, message }], key: null }])
      return message.id
    }),
  }
})
