// Fixture of the contract tests of documents: a sample of each kind, and the moves of a kind in a workspace. Each move
// locks, decides and applies in its own transaction.
import { DateTime, Effect, Result } from "effect"
import type { WrittenEmail } from "../../src/ports/Ai.ts"
import type { Design, DocumentTypes, Edit, Locked } from "../../src/documents/Document.ts"
import type { DocumentStore } from "../../src/documents/DocumentStore.ts"
import type { DocumentChange, DocumentMachine } from "../../src/documents/machine.ts"
import { type EmailTypes, EmailChange } from "../../src/emails/Email.ts"
import { EmailStore } from "../../src/emails/EmailStore.ts"
import {
  ApprovalId,
  EmailId,
  EmailTemplateId,
  GenerationId,
  TentId,
  TentTemplateId,
  type WorkspaceId,
} from "../../src/kernel/Ids.ts"
import {
  type EmailTemplateTypes,
  type TentTemplateTypes,
  EmailTemplateChange,
  TentTemplateChange,
} from "../../src/templates/Template.ts"
import { EmailTemplateStore, TentTemplateStore } from "../../src/templates/TemplateStore.ts"
import type { JobQueue } from "../../src/kernel/changes/Jobs.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { Fresh } from "../kernel/fresh.ts"

export type Ports = EmailStore | EmailTemplateStore | TentTemplateStore | WorkspaceStore | Transactor | JobQueue | Fresh

export const at = (ms: number) => DateTime.makeUnsafe(ms)

/** An edit by an API key. */
export const edit = (ms: number): Edit => ({ by: "key:tp_live_abcd", now: at(ms) })

/** What the tests need to know of a kind. */
export interface Sample<T extends DocumentTypes> {
  readonly kind: string
  readonly machine: DocumentMachine<T>
  readonly store: Effect.Effect<DocumentStore<T>, never, Ports>
  readonly toId: (uuid: string) => T["document"]["id"]
  /** Fields that are all set, and fields that are as empty as possible. */
  readonly given: (uuid: string) => T["given"]
  readonly bare: T["given"]
  readonly patch: T["patch"]
  readonly facts: T["facts"]
  readonly unused: T["uses"]
  readonly answer: WrittenEmail & { readonly generatedBy: string }
  readonly hasPlainText: boolean
}

const header = {
  subject: "Grüße 🦊 {{contact.first_name}}",
  fromName: "Acme",
  fromAddress: "news@example.test",
  replyToEmail: "reply@example.test",
}
const nothing = { subject: null, previewText: null, fromName: null, fromAddress: null, replyToEmail: null }
const plainText = { text: "mine\r\né ☃", at: at(1_111), version: 1 }

export const emailSample: Sample<EmailTypes> = {
  kind: "email",
  machine: EmailChange,
  store: EmailStore,
  toId: (uuid) => EmailId.make(uuid),
  given: () => ({ ...header, name: "An email", plainText }),
  bare: { ...nothing, name: "bare" },
  patch: { name: "other", subject: "another" },
  facts: { verifiedDomains: ["example.test"], fourEyes: false },
  unused: { users: [], count: 0 },
  answer: { html: "<p>written ☃</p>", subject: "of the AI", previewText: null, generatedBy: "sample" },
  hasPlainText: true,
}

export const emailTemplateSample: Sample<EmailTemplateTypes> = {
  kind: "email template",
  machine: EmailTemplateChange,
  store: EmailTemplateStore,
  toId: (uuid) => EmailTemplateId.make(uuid),
  given: (uuid) => ({
    name: "a template",
    sourceId: EmailId.make(uuid),
    defaults: { ...header, previewText: "before \\ % _ '" },
    plainText,
  }),
  bare: { name: "bare", sourceId: null, defaults: nothing, plainText: null },
  patch: { name: "other", defaults: { subject: "another", previewText: null } },
  facts: null,
  unused: [],
  answer: { html: "<p>written ☃</p>", subject: "of the AI", previewText: "of the AI", generatedBy: "sample" },
  hasPlainText: true,
}

export const tentTemplateSample: Sample<TentTemplateTypes> = {
  kind: "tent template",
  machine: TentTemplateChange,
  store: TentTemplateStore,
  toId: (uuid) => TentTemplateId.make(uuid),
  given: (uuid) => ({ name: "a template", sourceId: TentId.make(uuid) }),
  bare: { name: "bare", sourceId: null },
  patch: { name: "other" },
  facts: null,
  unused: [],
  answer: { html: "<p>written ☃</p>", subject: null, previewText: null, generatedBy: "sample" },
  hasPlainText: false,
}

export interface Wanted<T extends DocumentTypes> {
  readonly name?: string
  readonly html?: string
  readonly fields?: T["given"]
  readonly at_ms?: number
}

/** The moves of a kind in a workspace, a new one unless `there` is given. */
export const begin = <T extends DocumentTypes>(sample: Sample<T>, there?: WorkspaceId) =>
  Effect.gen(function* () {
    const { machine } = sample
    const store = yield* sample.store
    const { transact } = yield* Transactor
    const workspaces = yield* WorkspaceStore
    const fresh = yield* Fresh
    const workspace = there ?? (yield* fresh.workspace())

    const facts = Effect.fnUntraced(function* ({ fields, name, at_ms = 1_234 }: Wanted<T>) {
      const given: T["given"] = fields ?? sample.given(yield* fresh.id)
      const named = name === undefined ? given : { ...given, name }
      return { id: sample.toId(yield* fresh.id), fields: named, createdByName: "a key", ...edit(at_ms) }
    })

    const request = Effect.map(fresh.id, (id) => ({
      id: GenerationId.make(id),
      prompt: "a greeting é",
      createdByName: "asker",
      createdBy: "key:tp_live_aske" as const,
    }))

    const made = Effect.fnUntraced(function* (wanted: Wanted<T> = {}, of = workspace) {
      const decision = machine.create({ ...(yield* facts(wanted)), html: wanted.html ?? "<p>one</p>" })
      const change = Result.getOrThrow(decision)
      yield* Effect.orDie(transact(store.apply(of, change)))
      return change.after
    })

    /** A document that the AI will write; refused when there is no credit. */
    const begun = Effect.fnUntraced(function* (of = workspace) {
      const decision = machine.createByPrompt({ ...(yield* facts({})), request: yield* request })
      const change = Result.getOrThrow(decision)
      yield* transact(store.apply(of, change))
      const generation = change.generation?.after ?? (yield* Effect.die("its generation is in the change"))
      return { document: change.after, generation }
    })

    /** The decision; null when there was nothing to do. */
    const move = <After extends T["document"] | null>(
      id: T["document"]["id"],
      decide: (locked: Locked<T["document"]>) => DocumentChange<T, After> | null,
      of: WorkspaceId = workspace,
    ) =>
      transact(
        Effect.gen(function* () {
          const decided = decide(yield* store.lock(of, id))
          if (decided !== null) yield* store.apply(of, decided)
          return decided
        }),
      )

    const setContent = (id: T["document"]["id"], html: string, design: Design | null = null) =>
      move(id, ({ document }) =>
        Result.getOrThrow(machine.setContent(document, { html, design, byName: "a key" }, edit(2_000))),
      )

    const remove = (id: T["document"]["id"]) =>
      move(id, (locked) => Result.getOrThrow(machine.remove(locked, sample.unused)))

    const approve = Effect.fnUntraced(function* (id: T["document"]["id"], at_ms = 3_000) {
      const approvalId = ApprovalId.make(yield* fresh.id)
      yield* move(id, (locked) => Result.getOrThrow(machine.approve(locked, sample.facts, { approvalId }, edit(at_ms))))
      return approvalId
    })

    const started = Effect.fnUntraced(function* (id: T["document"]["id"], at_ms = 2_000) {
      const wanted = yield* request
      yield* move(id, (locked) => Result.getOrThrow(machine.generate(locked, wanted, at(at_ms))))
      return wanted.id
    })

    const credits = (of = workspace) => Effect.map(Effect.orDie(workspaces.get(of)), (found) => found.credits)
    const moves = { made, begun, move, setContent, remove, approve, started, request, credits }
    return { machine, store, transact, fresh, workspace, ...moves }
  })
