// Fixture of a workspace that can send blasts: contacts, lists, emails and a sending domain, created through the rooms' own
// ports.
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { createBlast, decide, type BlastChange } from "../../src/blasts/machine.ts"
import { type BlastQuery, BlastStore, type RecipientQuery } from "../../src/blasts/BlastStore.ts"
import type { LaunchFacts } from "../../src/blasts/Readiness.ts"
import { type ContactPatch, newContact, patchContact } from "../../src/contacts/ContactPatch.ts"
import type { Contact } from "../../src/contacts/Contact.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import { DeliveryStore } from "../../src/sending/DeliveryStore.ts"
import { EmailChange } from "../../src/emails/Email.ts"
import { type EmailFields, noHeader } from "../../src/documents/EmailFields.ts"
import type { EmailMessageStore } from "../../src/messages/EmailMessageStore.ts"
import { EmailStore } from "../../src/emails/EmailStore.ts"
import { ApprovalId, BlastId, ContactId, DomainId, EmailId, ListId } from "../../src/kernel/Ids.ts"
import { ListChange, type NewList } from "../../src/lists/List.ts"
import { nameCandidates } from "../../src/lists/ListName.ts"
import { ListStore } from "../../src/lists/ListStore.ts"
import { referencesIn, type RuleTree } from "../../src/segments/RuleTree.ts"
import type { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { plans, type WorkspaceFields } from "../../src/workspaces/Workspace.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { Fresh } from "../kernel/fresh.ts"
import { wholeAudience } from "../sending/deliveryScenario.ts"

export type Rooms =
  | Outbox
  | BlastStore
  | ContactStore
  | DeliveryStore
  | EmailMessageStore
  | EmailStore
  | ListStore
  | WorkspaceStore
  | Transactor
  | Fresh

export const at = (ms: number): DateTime.Utc => DateTime.makeUnsafe(ms)

/** A fixed instant for the tests, so that days and orders do not depend on the clock. */
export const noon = at(Date.UTC(2027, 2, 4, 12))
export const later = (ms: number): DateTime.Utc => at(noon.epochMilliseconds + ms)

/** Matches contacts that are not on this list. */
export const notOn = (listId: ListId): RuleTree => ({
  kind: "group",
  operator: "or",
  conditions: [
    {
      kind: "group",
      operator: "and",
      conditions: [{ kind: "condition", source: "list_membership", listId, operator: "is_not_member" }],
    },
  ],
})

/** Matches contacts of this city. */
export const inCity = (city: string): RuleTree => ({
  kind: "group",
  operator: "and",
  conditions: [{ kind: "condition", source: "contact", field: "city", operator: "equals", value: city }],
})

const sender: Partial<EmailFields> = {
  subject: "Hello {{contact.first_name|you}}",
  fromName: "News",
  fromAddress: "news@example.test",
  replyToEmail: "reply@example.test",
}

export const everything: BlastQuery = {
  page: 1,
  limit: 25,
  status: null,
  search: "",
  sortBy: "updated_at",
  sortOrder: "desc",
}

export const recipientQuery: RecipientQuery = {
  page: 1,
  limit: 25,
  category: "recipients",
  domain: null,
  reason: null,
  link: null,
  search: "",
  sort: "created_at",
  order: "desc",
}

/** Facts that no store was asked for. The store writes the decision whatever it was based on. */
export const supposed = Effect.gen(function* () {
  const fresh = yield* Fresh
  const listId = ListId.make(yield* fresh.id)
  const emailId = EmailId.make(yield* fresh.id)
  const approvalId = ApprovalId.make(yield* fresh.id)
  const facts: LaunchFacts = {
    list: { listId, name: "l", kind: "static", memberCount: 1, empty: false },
    email: {
      emailId,
      name: "e",
      status: "approved",
      subject: "s",
      header: { ...noHeader, subject: "s" },
      currentVersion: 3,
      approval: { approvalId, version: 2, by: "worker" },
      texts: [],
    },
    approvedHeader: { ...noHeader, subject: "s" },
    senderAddress: "news@example.test",
    verifiedDomains: new Set(["example.test"]),
    postalAddress: null,
    topic: null,
    fourEyes: false,
    customFields: new Set(),
    plan: plans.max,
    allotment: null,
  }
  return { facts, listId, emailId }
})

/** `fields` belong to the workspace, which has the verified domain `example.test`. */
export const furnished = Effect.fnUntraced(function* (fields: WorkspaceFields = {}) {
  const fresh = yield* Fresh
  const store = yield* BlastStore
  const contacts = yield* ContactStore
  const deliveries = yield* DeliveryStore
  const emails = yield* EmailStore
  const lists = yield* ListStore
  const workspaces = yield* WorkspaceStore
  const { transact } = yield* Transactor
  const workspace = yield* fresh.workspace({ postalAddress: "1 Way", ...fields })

  const setDomain = Effect.fnUntraced(function* (domain: string, status: "pending" | "verified") {
    const id = DomainId.make(yield* fresh.id)
    const known = (yield* workspaces.domains(workspace)).find((each) => each.domain === domain)
    yield* transact(
      workspaces.putDomain(workspace, {
        id: known?.id ?? id,
        domain,
        status,
        dkimSelector: "tentpole",
        dkimPublicKey: "AAAA",
        dkimPrivateKeySealed: Uint8Array.of(1),
        verifiedAt: status === "verified" ? noon : null,
        createdAt: noon,
      }),
    )
  })
  yield* setDomain("example.test", "verified")

  /** A contact with the address `<name>@example.test`. */
  const person = Effect.fnUntraced(function* (name: string, patch: ContactPatch = {}) {
    const id = ContactId.make(yield* fresh.id)
    const email = parseEmail(`${name}@example.test`)
    const contact = newContact(id, { displayName: name, email, ...patch }, "api", noon)
    yield* Effect.orDie(
      transact(contacts.apply(workspace, ContactsChange.of([{ before: null, after: contact, at: noon }]))),
    )
    return contact
  })
  const alter = (before: Contact, patch: ContactPatch) =>
    Effect.orDie(
      transact(
        contacts.apply(
          workspace,
          ContactsChange.of([{ before, after: patchContact(before, patch, later(1)), at: later(1) }]),
        ),
      ),
    )

  const list = Effect.fnUntraced(function* (name: string, content: NewList["content"]) {
    const id = ListId.make(yield* fresh.id)
    const candidates = nameCandidates({ text: name, origin: "given" }, yield* fresh.id)
    const contactIds = content.kind === "static" ? content.contactIds : []
    const named = content.kind === "dynamic" ? referencesIn(content.rules).lists : []
    return yield* transact(
      Effect.gen(function* () {
        const facts = yield* lists.lockForCreation(workspace, { candidates, contactIds, named })
        const made = yield* Effect.fromResult(
          ListChange.create({ id, candidates, description: null, content }, facts, noon),
        )
        yield* lists.apply(workspace, made.change)
        return made.list
      }),
    ).pipe(Effect.orDie)
  })
  const listOf = (name: string, members: ReadonlyArray<Contact>) =>
    list(name, { kind: "static", contactIds: members.map((each) => each.id) })

  /** Runs an effect that begins while a list is being deleted, and returns its result. */
  const deleting = Effect.fnUntraced(function* <A, E>(id: ListId, meanwhile: Effect.Effect<A, E>) {
    const held = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const deletion = yield* Effect.gen(function* () {
      const facts = yield* lists.lockForDelete(workspace, id)
      yield* Deferred.succeed(held, undefined)
      yield* Deferred.await(go)
      yield* lists.apply(workspace, yield* Effect.fromResult(ListChange.delete(facts, later(1))))
    }).pipe(transact, Effect.forkChild)
    yield* Deferred.await(held)
    const other = yield* Effect.forkChild(Effect.result(meanwhile))
    yield* Effect.sleep("100 millis")
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(deletion)
    return yield* Fiber.join(other)
  }, Effect.orDie)

  const draftEmail = Effect.fnUntraced(function* (
    name: string,
    with_: Partial<EmailFields> & { readonly html?: string } = {},
  ) {
    const { html = "<p>Hi {{contact.first_name}}</p>", ...over } = with_
    const id = EmailId.make(yield* fresh.id)
    const change = yield* Effect.fromResult(
      EmailChange.create({
        id,
        fields: { ...sender, ...over, name },
        html,
        createdByName: "test",
        by: "worker",
        now: noon,
      }),
    )
    yield* transact(emails.apply(workspace, change))
    return change.after
  }, Effect.orDie)
  const approve = Effect.fnUntraced(function* (id: EmailId) {
    const approvalId = ApprovalId.make(yield* fresh.id)
    return yield* transact(
      Effect.gen(function* () {
        const current = yield* emails.lock(workspace, id)
        const verifiedDomains = [(current.document.fromAddress ?? "").replace(/^.*@/, "")]
        const facts = { verifiedDomains, fourEyes: false }
        const change = yield* Effect.fromResult(
          EmailChange.approve(current, facts, { approvalId }, { by: "worker", now: noon }),
        )
        yield* emails.apply(workspace, change)
        return change.after
      }),
    ).pipe(Effect.orDie)
  })
  const approvedEmail = (name: string, with_?: Partial<EmailFields> & { readonly html?: string }) =>
    Effect.flatMap(draftEmail(name, with_), ({ id }) => approve(id))

  const write = (change: BlastChange) => Effect.orDie(transact(store.apply(workspace, change)))
  const draft = Effect.fnUntraced(function* (name: string, now: DateTime.Utc = noon) {
    const id = BlastId.make(yield* fresh.id)
    const change = yield* Effect.orDie(Effect.fromResult(createBlast(id, { name }, now)))
    yield* write(change)
    return change.after
  })

  /** A draft to these contacts that is ready to launch. */
  const ready = Effect.fnUntraced(function* (name: string, members: ReadonlyArray<Contact>) {
    const { id: listId } = yield* listOf(`${name} list`, members)
    const { id: emailId } = yield* approvedEmail(`${name} email`)
    const blank = yield* draft(name)
    const addressed = yield* Effect.fromResult(
      decide(blank, { _tag: "setAudience", audience: { listId, source: "existing" }, lists: [] }, noon),
    )
    yield* write(addressed)
    const written = yield* Effect.fromResult(
      decide(addressed.after, { _tag: "setEmail", email: { emailId, source: "existing" }, inlineEmail: null }, noon),
    )
    yield* write(written)
    return written.after
  }, Effect.orDie)

  const launch = (id: BlastId, now: DateTime.Utc = noon, operational = false) =>
    transact(
      Effect.gen(function* () {
        const { blast, facts } = yield* store.lockForLaunch(workspace, id, { now, operational })
        const change = yield* Effect.fromResult(
          decide(blast, { _tag: "launch", by: "worker", facts, operational }, now),
        )
        yield* store.apply(workspace, change)
        return change.after
      }),
    )

  /** A blast that is sending, with its recipients written and queued. */
  const sending = Effect.fnUntraced(function* (name: string, members: ReadonlyArray<Contact>) {
    const { id } = yield* ready(name, members)
    yield* launch(id)
    yield* transact(wholeAudience(deliveries, workspace, id))
    return id
  }, Effect.orDie)

  return {
    fresh,
    store,
    deliveries,
    emails,
    lists,
    workspaces,
    transact,
    workspace,
    setDomain,
    person,
    alter,
    list,
    listOf,
    deleting,
    draftEmail,
    approve,
    approvedEmail,
    write,
    draft,
    ready,
    launch,
    sending,
  }
})
