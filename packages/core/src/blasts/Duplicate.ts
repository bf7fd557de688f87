// The duplication of a blast. Its inline list and email are copied, so that neither blast changes with the other; existing
// ones are shared. What has been deleted since is left out.
import { DateTime, Effect, Option } from "effect"
import { EmailChange } from "../emails/Email.ts"
import { EmailStore } from "../emails/EmailStore.ts"
import { BlastId, EmailId, Ids, ListId, type WorkspaceId } from "../kernel/Ids.ts"
import { ListChange, type NewList, type StaticList, type DynamicList } from "../lists/List.ts"
import { name_length_max as list_name_length_max, nameCandidates } from "../lists/ListName.ts"
import { ListStore } from "../lists/ListStore.ts"
import { referencesIn } from "../segments/RuleTree.ts"
import { copyName } from "../kernel/Text.ts"
import { Actor } from "../kernel/changes/Actor.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import type { Blast } from "./Blast.ts"
import { BlastStore } from "./BlastStore.ts"
import { duplicateBlast } from "./machine.ts"

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
    const created = ListChange.createInline(wanted, owner, facts, now)
    return yield* Effect.catchTag(Effect.fromResult(created), "NotFound", Effect.die)
  })

  const audienceOf = Effect.fnUntraced(function* (workspace: WorkspaceId, owner: BlastId, { audience }: Blast) {
    if (audience === null) return { audience: null, lists: [] }
    const list = yield* Effect.option(lists.get(workspace, audience.listId))
    if (Option.isNone(list)) return { audience: null, lists: [] }
    if (audience.source === "existing" || list.value.kind === "system") return { audience, lists: [] }
    const { change, list: copy } = yield* inlineCopy(workspace, owner, list.value)
    return { audience: { listId: copy.id, source: "inline" as const }, lists: [change] }
  })

  const emailOf = Effect.fnUntraced(function* (workspace: WorkspaceId, { email }: Blast, createdByName: string) {
    if (email === null) return { email: null, inlineEmail: null }
    const current = yield* Effect.option(emails.current(workspace, email.emailId))
    if (Option.isNone(current)) return { email: null, inlineEmail: null }
    if (email.source === "existing") return { email, inlineEmail: null }
    const id = EmailId.make(yield* ids.next)
    const edit = { by: yield* Actor, now: yield* DateTime.now }
    const copy = EmailChange.duplicate(current.value, { id, createdByName, ...edit })
    // An inline email always has a version, so its duplication does not fail.
    const inlineEmail = yield* Effect.orDie(Effect.fromResult(copy))
    return { email: { emailId: id, source: "inline" as const }, inlineEmail }
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
