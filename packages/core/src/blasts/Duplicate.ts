// The duplication of a blast. Its inline list and email are copied, so that neither blast changes with the other; existing
// ones are shared. What has been deleted since is left out.
import { DateTime, Effect } from "effect"
import type { Email } from "../emails/Email.ts"
import { EmailChange } from "../emails/EmailChange.ts"
import { EmailStore } from "../emails/EmailStore.ts"
import { BlastId, EmailId, Ids, ListId, type WorkspaceId } from "../kernel/Ids.ts"
import { ListChange, type NewList, type StaticList, type DynamicList } from "../lists/List.ts"
import { name_length_max as list_name_length_max, nameCandidates } from "../lists/ListName.ts"
import { ListStore } from "../lists/ListStore.ts"
import { referencesIn } from "../segments/RuleTree.ts"
import { copyName } from "../kernel/Text.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import type { AttachedEmail, Audience, Blast } from "./Blast.ts"
import { BlastStore } from "./BlastStore.ts"
import { duplicateBlast } from "./machine.ts"

interface CopiedAudience {
  readonly audience: Audience | null
  readonly lists: ReadonlyArray<ListChange>
}

interface CopiedEmail {
  readonly email: AttachedEmail | null
  readonly inlineEmail: EmailChange<Email> | null
}

const noAudience: CopiedAudience = { audience: null, lists: [] }
const noEmail: CopiedEmail = { email: null, inlineEmail: null }

/** Returns the id of the copy. */
export const blastDuplication = Effect.gen(function* () {
  const store = yield* BlastStore
  const lists = yield* ListStore
  const emails = yield* EmailStore
  const ids = yield* Ids
  const { transact } = yield* Transactor

  /** Members that are being deleted at this moment are left out. */
  const inlineCopy = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    owner: BlastId,
    list: StaticList | DynamicList,
  ) {
    const name = { text: copyName(list.name, list_name_length_max), origin: "derived" } as const
    const candidates = nameCandidates(name, yield* ids.random)
    const members = list.kind === "static" ? yield* lists.memberIds(workspace, list.id) : []
    const named = list.kind === "dynamic" && list.rules !== null ? referencesIn(list.rules).lists : []
    const facts = yield* lists.lockForCreation(workspace, { candidates, contactIds: members, named })
    const wanted: NewList = {
      id: ListId.make(yield* ids.next),
      candidates,
      description: list.description,
      content:
        list.kind === "static"
          ? { kind: "static", contactIds: members.filter((id) => facts.contacts.has(id)) }
          : { kind: "dynamic", rules: list.rules },
    }
    const now = yield* DateTime.now
    // Every contact id comes from the locked facts, so that none is missing.
    const made = ListChange.createInline(wanted, owner, facts, now)
    return yield* Effect.catchTag(Effect.fromResult(made), "NotFound", Effect.die)
  })

  const audienceOf = Effect.fnUntraced(function* (workspace: WorkspaceId, owner: BlastId, { audience }: Blast) {
    if (audience === null) return noAudience
    const list = yield* Effect.catchTag(lists.get(workspace, audience.listId), "NotFound", () => Effect.succeed(null))
    if (list === null) return noAudience
    if (audience.source === "existing" || list.kind === "system") return { audience, lists: [] }
    const { change, list: copy } = yield* inlineCopy(workspace, owner, list)
    const copied: CopiedAudience = { audience: { listId: copy.id, source: "inline" }, lists: [change] }
    return copied
  })

  const emailOf = Effect.fnUntraced(function* (workspace: WorkspaceId, { email }: Blast, createdByName: string) {
    if (email === null) return noEmail
    const current = yield* Effect.catchTag(emails.current(workspace, email.emailId), "NotFound", () =>
      Effect.succeed(null),
    )
    if (current === null) return noEmail
    if (email.source === "existing") return { email, inlineEmail: null }
    const id = EmailId.make(yield* ids.next)
    const made = EmailChange.duplicate(current, { id, createdByName, now: yield* DateTime.now })
    // An inline email always has a version, so its duplication does not fail.
    const copied: CopiedEmail = {
      email: { emailId: id, source: "inline" },
      inlineEmail: yield* Effect.orDie(Effect.fromResult(made)),
    }
    return copied
  })

  return Effect.fnUntraced(function* (workspace: WorkspaceId, of: BlastId, by: string) {
    const blast = yield* store.lock(workspace, of)
    const id = BlastId.make(yield* ids.next)
    const { audience, lists } = yield* audienceOf(workspace, id, blast)
    const copied = yield* emailOf(workspace, blast, by)
    yield* store.apply(workspace, duplicateBlast(blast, { id, audience, lists, ...copied }, yield* DateTime.now))
    return id
  }, transact)
})
