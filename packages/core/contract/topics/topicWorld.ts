// Fixture of the contract tests of topics: a workspace with contacts and topics, in which tests record choices.
import { DateTime, Effect, type Result } from "effect"
import { type ContactPatch, newContact, patchContact } from "../../src/contacts/ContactPatch.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { ConsentRecordId, ContactId, TopicId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import type { SuppressionStore } from "../../src/sending/SuppressionStore.ts"
import { ChoicesChange } from "../../src/topics/ChoicesChange.ts"
import { type ConsentAction, type ConsentSource, evidenceOf } from "../../src/topics/ConsentRecord.ts"
import { ConsentStore } from "../../src/topics/ConsentStore.ts"
import { type NewTopic, type TopicEdit, TopicChange } from "../../src/topics/machine.ts"
import type { Topic, TopicStatus } from "../../src/topics/Topic.ts"
import { TopicStore } from "../../src/topics/TopicStore.ts"
import type { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { Fresh } from "../kernel/fresh.ts"

export type TopicPorts =
  | TopicStore
  | ConsentStore
  | ContactStore
  | SuppressionStore
  | WorkspaceStore
  | Transactor
  | Fresh

export const at = (ms: number) => DateTime.makeUnsafe(1_780_000_000_000 + ms)

export const topicWorld = Effect.gen(function* () {
  const fresh = yield* Fresh
  const topics = yield* TopicStore
  const consent = yield* ConsentStore
  const contacts = yield* ContactStore
  const { transact } = yield* Transactor
  const workspace = yield* fresh.workspace()

  const person = Effect.fnUntraced(function* (patch: ContactPatch = {}) {
    const id = ContactId.make(yield* fresh.id)
    const contact = newContact(id, { email: parseEmail(`${id}@example.com`), ...patch }, "api", at(0))
    yield* transact(contacts.apply(workspace, ContactsChange.of([{ before: null, after: contact, at: at(0) }])))
    return id
  })

  type Decided<E> = Result.Result<{ readonly change: TopicChange; readonly topic: Topic }, E>
  const change = <E>(decide: (all: ReadonlyArray<Topic>) => Decided<E>, inside = workspace) =>
    Effect.gen(function* () {
      const decided = yield* Effect.fromResult(decide(yield* topics.lock(inside)))
      yield* topics.apply(inside, decided.change)
      return decided.topic
    }).pipe(transact)

  const topic = Effect.fnUntraced(function* (name: string, more: Partial<NewTopic> = {}) {
    const wanted: NewTopic = {
      id: TopicId.make(yield* fresh.id),
      name,
      description: null,
      defaultSubscription: "unsubscribed",
      visibility: "public",
      doubleOptIn: true,
      position: null,
      ...more,
    }
    return yield* change((all) => TopicChange.create(wanted, all, at(0)))
  })

  const edit = (id: TopicId, by: TopicEdit) => change((all) => TopicChange.update(id, by, all, at(9)))

  const remove = (id: TopicId, inside = workspace) =>
    Effect.gen(function* () {
      const { topic: before, uses } = yield* topics.lockForDelete(inside, id)
      yield* topics.apply(inside, yield* Effect.fromResult(TopicChange.delete(before, uses)))
    }).pipe(transact)

  /** Records what these people chose, as one change. */
  const choose = (
    of: Pick<Topic, "id" | "defaultSubscription">,
    people: ReadonlyArray<ContactId>,
    after: TopicStatus | null,
    {
      action = "granted",
      source = "api",
      when = at(5),
    }: { readonly action?: ConsentAction; readonly source?: ConsentSource; readonly when?: DateTime.Utc } = {},
  ) =>
    Effect.gen(function* () {
      const locked = yield* contacts.lock(workspace, { emails: [], phones: [], ids: people })
      const known = yield* consent.lock(
        workspace,
        locked.map(({ id }) => id),
        [of.id],
      )
      const steps = locked.map(({ id }) => ({
        contactId: id,
        action,
        evidence: evidenceOf(source, { text: "Yes, send me the letter." }),
        at: when,
        of: { topic: of, before: known.find(({ contactId }) => contactId === id)?.status ?? null, after },
      }))
      const ids = yield* Effect.forEach(steps, () => Effect.map(fresh.id, (id) => ConsentRecordId.make(id)))
      const decided = ChoicesChange.of(steps, ids)
      yield* consent.apply(workspace, decided)
      return decided
    }).pipe(transact)

  const patch = (ids: ReadonlyArray<ContactId>, by: ContactPatch) =>
    Effect.gen(function* () {
      const locked = yield* contacts.lock(workspace, { emails: [], phones: [], ids })
      const steps = locked.map((before) => ({ before, after: patchContact(before, by, at(7)), at: at(7) }))
      yield* contacts.apply(workspace, ContactsChange.of(steps))
    }).pipe(transact)

  return { fresh, topics, consent, contacts, transact, workspace, person, topic, edit, remove, choose, patch }
})
