// Templates in the hands of laws: what the kinds differ in, and every move as a store sees it, locked, decided and applied in
// a transaction of its own.
import { DateTime, Effect, Result } from "effect"
import {
  ApprovalId,
  EmailId,
  EmailTemplateId,
  GenerationId,
  TentId,
  TentTemplateId,
  type WorkspaceId,
} from "../../src/kernel/Ids.ts"
import type { CurrentTemplate, Kinds, TemplateKind } from "../../src/templates/Template.ts"
import { TemplateChange } from "../../src/templates/TemplateChange.ts"
import { EmailTemplateStore, type TemplateStoreOf, TentTemplateStore } from "../../src/templates/TemplateStore.ts"
import { Transactor } from "../../src/kernel/Transactor.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { Fresh } from "../kernel/fresh.ts"

export type Ports = EmailTemplateStore | TentTemplateStore | WorkspaceStore | Transactor | Fresh

export const at = (ms: number) => DateTime.makeUnsafe(ms)

/** What laws need to know of a kind. */
export interface Sample<Kind extends TemplateKind> {
  readonly kind: Kind
  readonly store: Effect.Effect<TemplateStoreOf<Kind>, never, Ports>
  readonly toId: (uuid: string) => Kinds[Kind]["id"]
  readonly toSourceId: (uuid: string) => Kinds[Kind]["sourceId"]
  /** What a template begins with beside its HTML, what it can become, and what is least. */
  readonly mails: readonly [Kinds[Kind]["mail"], Kinds[Kind]["mail"], Kinds[Kind]["mail"]]
}

export const emailSample: Sample<"email"> = {
  kind: "email",
  store: Effect.map(EmailTemplateStore, (store): TemplateStoreOf<"email"> => store),
  toId: (uuid) => EmailTemplateId.make(uuid),
  toSourceId: (uuid) => EmailId.make(uuid),
  mails: [
    {
      defaults: {
        subject: "Grüße 🦊 {{contact.first_name}}",
        previewText: "before \\ % _ '",
        fromName: "Acme",
        fromAddress: "news@example.test",
        replyToEmail: "reply@example.test",
      },
      plainText: { text: "mine\r\né ☃", at: at(1_111), version: 1 },
    },
    {
      defaults: { subject: "other", previewText: null, fromName: null, fromAddress: "b@c.test", replyToEmail: null },
      plainText: { text: "", at: at(2_222), version: 0 },
    },
    {
      defaults: { subject: null, previewText: null, fromName: null, fromAddress: null, replyToEmail: null },
      plainText: null,
    },
  ],
}

export const tentSample: Sample<"tent"> = {
  kind: "tent",
  store: Effect.map(TentTemplateStore, (store): TemplateStoreOf<"tent"> => store),
  toId: (uuid) => TentTemplateId.make(uuid),
  toSourceId: (uuid) => TentId.make(uuid),
  mails: [null, null, null],
}

export interface Wanted<Kind extends TemplateKind> {
  readonly name?: string
  readonly html?: string
  readonly mail?: Kinds[Kind]["mail"]
  readonly sourceId?: Kinds[Kind]["sourceId"]
  readonly at_ms?: number
}

/** The moves of templates in a workspace, one of their own if there is none yet. */
export const begin = <Kind extends TemplateKind>(sample: Sample<Kind>, there?: WorkspaceId) =>
  Effect.gen(function* () {
    const store = yield* sample.store
    const { transact } = yield* Transactor
    const workspaces = yield* WorkspaceStore
    const fresh = yield* Fresh
    const workspace = there ?? (yield* fresh.workspace())

    const facts = Effect.fnUntraced(function* (wanted: Wanted<Kind>) {
      return {
        id: sample.toId(yield* fresh.id),
        name: wanted.name ?? "a template",
        sourceId: wanted.sourceId ?? null,
        mail: wanted.mail ?? sample.mails[0],
        createdByName: "a key",
        now: at(wanted.at_ms ?? 1_234),
      }
    })

    const asked = Effect.map(fresh.id, (id) => ({
      id: GenerationId.make(id),
      prompt: "a greeting é",
      createdByName: "asker",
    }))

    const made = Effect.fnUntraced(function* (wanted: Wanted<Kind> = {}, of = workspace) {
      const change = TemplateChange.create<Kind>(yield* facts(wanted), wanted.html ?? "<p>one</p>")
      yield* Effect.orDie(transact(store.apply(of, change)))
      return change.after ?? (yield* Effect.die("a new template is there"))
    })

    /** One that the AI is to write; refused when there is no credit. */
    const begun = Effect.fnUntraced(function* (of = workspace) {
      const change = TemplateChange.createGenerating<Kind>(yield* facts({}), yield* asked)
      yield* transact(store.apply(of, change))
      const generation = change.generation?.after ?? (yield* Effect.die("its generation is there"))
      return { template: change.after ?? (yield* Effect.die("a new template is there")), generation }
    })

    /** What was decided; null when there was nothing to do. */
    const move = (
      id: Kinds[Kind]["id"],
      decide: (current: CurrentTemplate<Kind>) => TemplateChange<Kind> | null,
      of: WorkspaceId = workspace,
    ) =>
      transact(
        Effect.gen(function* () {
          const decided = decide(yield* store.lock(of, id))
          if (decided !== null) yield* store.apply(of, decided)
          return decided
        }),
      )

    const approve = Effect.fnUntraced(function* (id: Kinds[Kind]["id"], at_ms = 3_000) {
      const approvalId = ApprovalId.make(yield* fresh.id)
      yield* move(id, (current) =>
        Result.getOrThrow(TemplateChange.approve(current, { approvalId, waitsForGeneration: false }, at(at_ms))),
      )
      return approvalId
    })

    const credits = (of = workspace) => Effect.map(Effect.orDie(workspaces.find(of)), (found) => found.credits)
    return { store, transact, fresh, workspace, facts, asked, made, begun, move, approve, credits }
  })
