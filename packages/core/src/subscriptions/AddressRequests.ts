// Requests that name an address: its contact is created if there is none, and the request is written in the same transaction.
import { DateTime, Effect, Result } from "effect"
import { apiUpsert, decideUpserts, type UpsertOptions } from "../contacts/batch/Batch.ts"
import { type ContactPatch, newContact } from "../contacts/ContactPatch.ts"
import { ContactStore, retryOnIdentityConflict } from "../contacts/ContactStore.ts"
import { ContactId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type PreparedRequest, subscribing, type Wanted } from "./Subscribing.ts"

export const addressRequests = Effect.gen(function* () {
  const { prepare, subscribe } = yield* subscribing
  const contacts = yield* ContactStore
  const ids = yield* Ids
  const { transact } = yield* Transactor

  const written = (
    workspace: WorkspaceId,
    wanted: PreparedRequest,
    {
      fields,
      freshId,
      strict,
    }: { readonly fields: ContactPatch; readonly freshId: ContactId; readonly strict: boolean },
  ) =>
    Effect.gen(function* () {
      const { email, evidence, now } = wanted
      const phones = fields.phone ? [fields.phone] : []
      const existing = yield* contacts.lock(workspace, { emails: [email.normalized], phones })
      const source = evidence.source === "form" ? "form" : "api"
      const items = [{ clientItemId: null, patch: Result.succeed(fields) }]
      const { change, results } = decideUpserts(items, { existing, ids: [freshId], now }, { ...createOnly, source })
      const [result] = results
      if (result === undefined || result.status === "rejected") return yield* Effect.die("a new contact was rejected")
      yield* contacts.apply(workspace, change)
      return yield* subscribe(wanted, { contact: result.contact, made: result.status === "created", strict })
    }).pipe(transact, retryOnIdentityConflict)

  /** `fields` are those of a contact that is created. Null: no mail can be sent, and `strict` is false. */
  return Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    wanted: Wanted,
    { contact, strict }: { readonly contact: ContactPatch; readonly strict: boolean },
  ) {
    const now = yield* DateTime.now
    const freshId = ContactId.make(yield* ids.next)
    // No blast may take the contact for one that has not objected.
    const fields = { ...contact, email: wanted.email, marketingEmailSubscribed: false }
    const prepared = yield* prepare(workspace, wanted, newContact(freshId, fields, "api", now), { now, strict })
    return yield* written(workspace, prepared, { fields, freshId, strict })
  })
})

/** The fields of a contact that is there stay as they are. */
const createOnly: UpsertOptions = { ...apiUpsert, splitIdentity: "email_wins", duplicates: "skip", skipIfFilled: "all" }
