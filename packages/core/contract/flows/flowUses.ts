// Contract tests of what active flows use: lists, emails and templates cannot be taken away, concurrent changes see each
// other, and what steps created is deleted with the flow.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import type { FieldDefinitionId } from "../../src/kernel/Ids.ts"
import { decide as decideBlast } from "../../src/blasts/machine.ts"
import { type Email, EmailChange } from "../../src/emails/Email.ts"
import { decide } from "../../src/flows/definition/machine.ts"
import { resolveDraft, readFlowPatch } from "../../src/flows/definition/FlowInput.ts"
import { namedBy } from "../../src/flows/definition/FlowReferences.ts"
import { FlowNotReady } from "../../src/flows/definition/FlowErrors.ts"
import { twoAtOnce } from "../kernel/atOnce.ts"
import { later, noon } from "../blasts/blastWorld.ts"
import { day, flowWorld, type FlowRooms, onList, send } from "./flowWorld.ts"

/** The operations that take something from a flow. */
type World = Effect.Success<ReturnType<typeof flowWorld>>
type Taking = Effect.Effect<void, { readonly _tag: string }, Effect.Services<ReturnType<World["deletingList"]>>>

const failures = (result: Result.Result<unknown, unknown>) => (Result.isFailure(result) ? result.failure : null)

const lacks = (result: Result.Result<unknown, unknown>) => {
  const refused = failures(result)
  return refused instanceof FlowNotReady ? refused.missing.map(({ code, path }) => `${code} ${path}`) : refused
}

const tagOf = (result: Result.Result<unknown, { readonly _tag: string }>) =>
  Result.isFailure(result) ? result.failure._tag : "done"

export const flowUses = <E>(name: string, live: Layer.Layer<FlowRooms, E>) => {
  using(name, live)
  racing(name, live)
  making(name, live)
}

const using = <E>(name: string, live: Layer.Layer<FlowRooms, E>) =>
  layer(live, { excludeTestServices: true })(`Uses by flows (${name})`, (it) => {
    it.effect(
      "counts a list as used by the active flows whose triggers, conditions or rules name it, and by no other",
      () =>
        Effect.gen(function* () {
          const { listOf, flow, activated, pause, usesOfList, list, deletingList, transact } = yield* flowWorld()
          const { id } = yield* listOf("l", [])
          const other = yield* listOf("other", [])
          const wait = day("a", null)
          const check = { type: "condition_check", step_id: "c", condition: onList(id) }
          const bodies = {
            "b trigger": { triggers: [{ type: "removed_from_static_list", list_id: id }], steps: [wait] },
            "A condition": { steps: [check] },
            "c rules": { disqualification_rules: onList(id), steps: [wait] },
          }
          yield* flow("a draft", bodies["A condition"])
          yield* activated("other's", { disqualification_rules: onList(other.id), steps: [wait] })
          // Settings are the user's own words and may contain anything.
          yield* activated("says so", { settings: { listId: id, steps: [onList(id)] }, steps: [wait] })
          const users = yield* Effect.forEach(Object.entries(bodies), ([of, body]) => activated(of, body))
          yield* list("d", { kind: "dynamic", rules: null })
          const named = (of: ReadonlyArray<{ readonly id: string; readonly name: string }>) =>
            of.map((user) => ({ type: "flow" as const, id: user.id, name: user.name }))
          const inOrder = [users[1], users[0], users[2]].flatMap((user) => user ?? [])
          assert.deepStrictEqual(yield* usesOfList(id), { users: named(inOrder), count: 3 })
          const refused = yield* Effect.flip(transact(deletingList(id)))
          assert(refused._tag === "ListInUse")
          assert.include(refused.message, `the flow "A condition"`)
          for (const user of users) yield* pause(user)
          assert.deepStrictEqual(yield* usesOfList(id), { users: [], count: 0 })
          yield* Effect.orDie(transact(deletingList(id)))
        }),
    )

    it.effect("counts a custom field as used by the lists and flows that name it, except archived flows", () =>
      Effect.gen(function* () {
        const { field, flow, list, workspace, writeFlow } = yield* flowWorld()
        const { uses } = yield* ContactFieldStore
        const [size, other] = [yield* field("size"), yield* field("other")]
        const condition = (fieldDefinitionId: FieldDefinitionId) =>
          ({ kind: "condition", source: "custom_field", fieldDefinitionId, operator: "is_empty" }) as const
        const rules = (id: FieldDefinitionId) =>
          ({ kind: "group", operator: "and", conditions: [condition(id)] }) as const
        const wait = day("a", null)
        const made = yield* list("Sizes", { kind: "dynamic", rules: rules(size.id) })
        yield* list("Others", { kind: "dynamic", rules: rules(other.id) })
        const users = [
          yield* flow("a condition", {
            steps: [{ type: "condition_check", step_id: "c", condition: condition(size.id) }],
          }),
          yield* flow("b rules", { disqualification_rules: rules(size.id), steps: [wait] }),
          yield* flow("c trigger", {
            triggers: [{ type: "contact_updated", field: "size", operator: "changed" }],
            steps: [wait],
          }),
        ]
        const ended = yield* flow("d archived", { disqualification_rules: rules(size.id), steps: [wait] })
        yield* writeFlow(Result.getOrThrow(decide(ended, { _tag: "archive" }, later(9))))
        yield* flow("e other", { disqualification_rules: rules(other.id), steps: [wait] })
        assert.deepStrictEqual(yield* uses(workspace, size), {
          users: [
            { type: "contact_list", id: made.id, name: "Sizes" },
            ...users.map(({ id, name: of }) => ({ type: "flow" as const, id, name: of })),
          ],
          count: 4,
        })
        assert.strictEqual((yield* uses(workspace, other)).count, 2)
      }),
    )

    it.effect("counts an email as used by the active flows that send it", () =>
      Effect.gen(function* () {
        const { approvedEmail, flow, activated, pause, usesOfEmail, unapproving, transact } = yield* flowWorld()
        const { id } = yield* approvedEmail("e")
        const steps = [send("a", { email_id: id })]
        yield* flow("draft", { steps })
        const active = yield* activated("active", { steps })
        const users = [{ type: "flow" as const, id: active.id, name: "active" }]
        assert.deepStrictEqual(yield* usesOfEmail(id), { users, count: 1 })
        const refused = yield* Effect.flip(transact(unapproving(id)))
        assert(refused._tag === "EmailInUse")
        assert.include(refused.message, `the flow "active"`)
        yield* pause(active)
        yield* Effect.orDie(transact(unapproving(id)))
      }),
    )

    it.effect("counts a template as used by the active flows that create from it", () =>
      Effect.gen(function* () {
        const { activated, pause, deletingTemplate, emailTemplates, tentTemplates, transact, workspace } =
          yield* flowWorld()
        const [email, page] = [yield* emailTemplates.made(), yield* tentTemplates.made()]
        yield* emailTemplates.approve(email.id)
        yield* tentTemplates.approve(page.id)
        const active = yield* activated("active", {
          steps: [
            { type: "create_email", step_id: "a", template_id: email.id, auto_approve: false },
            { type: "create_tent", step_id: "b", template_id: page.id },
          ],
        })
        const uses = [{ kind: "email flow" as const, name: "active" }]
        assert.deepStrictEqual(yield* transact(emailTemplates.store.uses(workspace, email.id)), uses)
        assert.deepStrictEqual(yield* transact(tentTemplates.store.uses(workspace, page.id)), uses)
        assert.strictEqual((yield* Effect.flip(transact(deletingTemplate(email.id))))._tag, "TemplateInUse")
        yield* pause(active)
        assert.deepStrictEqual(yield* transact(tentTemplates.store.uses(workspace, page.id)), [])
        yield* Effect.orDie(transact(deletingTemplate(email.id)))
      }),
    )
  })

const racing = <E>(name: string, live: Layer.Layer<FlowRooms, E>) =>
  layer(live, { excludeTestServices: true })(`Concurrent activation (${name})`, (it) => {
    it.effect("makes an unapproval or a deletion of a list or template wait for an activation and find the flow", () =>
      Effect.gen(function* () {
        const world = yield* flowWorld()
        const { flow, activating, approvedEmail, listOf, emailTemplates } = world
        const { id: emailId } = yield* approvedEmail("e")
        const { id: listId } = yield* listOf("l", [])
        const template = yield* emailTemplates.made()
        yield* emailTemplates.approve(template.id)
        const steps = [
          send("a", { email_id: emailId }),
          { type: "create_email", step_id: "b", template_id: template.id, auto_approve: false },
        ]
        const rules = { steps, disqualification_rules: onList(listId) }
        const against: Readonly<Record<string, Taking>> = {
          EmailInUse: world.unapproving(emailId),
          ListInUse: world.deletingList(listId),
          TemplateInUse: world.deletingTemplate(template.id),
        }
        for (const [tag, other] of Object.entries(against)) {
          const { id } = yield* flow(tag, rules)
          const [active, refused] = yield* twoAtOnce((held) => activating(id, held), other)
          assert.deepStrictEqual([tagOf(active), tagOf(refused)], ["done", tag])
        }
      }),
    )

    it.effect("makes an activation wait for an operation that takes something from it, and refuses it", () =>
      Effect.gen(function* () {
        const world = yield* flowWorld()
        const { flow, activating, approvedEmail, listOf, emailTemplates, field } = world
        const { id: emailId } = yield* approvedEmail("e")
        const { id: listId } = yield* listOf("l", [])
        const stage = yield* field("stage")
        const template = yield* emailTemplates.made()
        yield* emailTemplates.approve(template.id)
        const made = { type: "create_email", step_id: "b", template_id: template.id, auto_approve: false }
        const asked = { kind: "condition", source: "custom_field", fieldDefinitionId: stage.id, operator: "is_empty" }
        const cases: ReadonlyArray<readonly [object, (held: Effect.Effect<void>) => Taking, string]> = [
          [
            { steps: [send("a", { email_id: emailId })] },
            (held) => world.unapproving(emailId, held),
            "email_approval steps.0.email_id",
          ],
          [
            { steps: [day("a", null)], triggers: [{ type: "added_to_static_list", list_id: listId }] },
            (held) => world.deletingList(listId, held),
            "list_deleted triggers.0.list_id",
          ],
          [
            { steps: [made] },
            (held) => world.deletingTemplate(template.id, held),
            "template_approval steps.0.template_id",
          ],
          [
            { steps: [{ type: "condition_check", step_id: "c", condition: asked }] },
            (held) => world.archiving(stage.id, held),
            "field_archived steps.0.condition.conditions.0.fieldDefinitionId",
          ],
        ]
        for (const [body, first, piece] of cases) {
          const { id } = yield* flow("f", body)
          const [taken, refused] = yield* twoAtOnce(first, activating(id))
          assert.deepStrictEqual([Result.isSuccess(taken), lacks(refused)], [true, [piece]])
        }
      }),
    )

    it.effect("answers active to all concurrent activations, and one of them activates the flow", () =>
      Effect.gen(function* () {
        const { flow, activate, flows: store, workspace } = yield* flowWorld()
        const { id } = yield* flow("f", { steps: [day("a", null)] })
        const all = yield* Effect.all(
          Array.from({ length: 4 }, () => activate(id)),
          { concurrency: 4 },
        )
        const { flow: active } = yield* store.get(workspace, id)
        for (const each of all) assert.deepStrictEqual(each, active)
      }),
    )

    it.effect("protects the list that new rules of an active flow name", () =>
      Effect.gen(function* () {
        const { activated, flows: store, workspace, listOf, deletingList } = yield* flowWorld()
        const { id: listId } = yield* listOf("l", [])
        const active = yield* activated("f", { steps: [day("a", null)] })
        const body = { disqualification_rules: onList(listId) }
        const editing = Effect.fnUntraced(function* (held: Effect.Effect<void>) {
          const before = yield* store.lock(workspace, active.id)
          const draft = readFlowPatch(body)
          const named = yield* store.lockNamed(workspace, namedBy(draft.pieces))
          yield* held
          const patch = yield* Effect.fromResult(resolveDraft(draft, named))
          yield* store.apply(workspace, yield* Effect.fromResult(decide(before, { _tag: "edit", patch }, later(4))))
        })
        const [edited, refused] = yield* twoAtOnce(editing, deletingList(listId))
        assert.deepStrictEqual([tagOf(edited), tagOf(refused)], ["done", "ListInUse"])
      }),
    )
  })

const making = <E>(name: string, live: Layer.Layer<FlowRooms, E>) =>
  layer(live, { excludeTestServices: true })(`Things that steps created (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const world = yield* flowWorld()
      const active = yield* world.activated("f", { steps: [day("a", null)] })
      const made = Effect.fnUntraced(function* (of: string) {
        const email = yield* world.approvedEmail(of)
        yield* world.transact(world.flows.link(world.workspace, { flowId: active.id, stepId: "a", emailId: email.id }))
        return email
      })
      const isThere = ({ id }: Email) =>
        Effect.map(Effect.result(world.emails.get(world.workspace, id)), Result.isSuccess)
      return { ...world, active, made, isThere }
    })

    it.effect("counts what a step created as used while the flow is active, and deletes it with the flow", () =>
      Effect.gen(function* () {
        const { active, made, usesOfEmail, flows: store, workspace, transact, isThere, approvedEmail } = yield* begin
        const [own, others] = [yield* made("own"), yield* approvedEmail("others")]
        assert.deepStrictEqual(yield* usesOfEmail(own.id), {
          users: [{ type: "flow", id: active.id, name: "f" }],
          count: 1,
        })
        const paused = Result.getOrThrow(decide(active, { _tag: "pause" }, later(2)))
        yield* transact(store.apply(workspace, paused))
        assert.strictEqual((yield* usesOfEmail(own.id)).count, 0)
        yield* transact(store.apply(workspace, Result.getOrThrow(decide(paused.after, { _tag: "delete" }, later(3)))))
        assert.deepStrictEqual([yield* isThere(own), yield* isThere(others)], [false, true])
      }),
    )

    it.effect("keeps what a running blast or another active flow sends", () =>
      Effect.gen(function* () {
        const world = yield* begin
        const {
          active,
          made,
          activated,
          draft,
          listOf,
          write,
          launch,
          flows: store,
          workspace,
          transact,
          isThere,
        } = world
        const [sent, used, idle] = [yield* made("sent"), yield* made("used"), yield* made("idle")]
        yield* activated("other", { steps: [send("a", { email_id: used.id })] })
        const addressed = yield* Effect.fromResult(
          decideBlast(
            yield* draft("b"),
            { _tag: "setAudience", audience: { listId: (yield* listOf("l", [])).id, source: "existing" }, lists: [] },
            noon,
          ),
        )
        yield* write(addressed)
        const written = decideBlast(
          addressed.after,
          { _tag: "setEmail", email: { emailId: sent.id, source: "existing" }, inlineEmail: null },
          noon,
        )
        yield* write(yield* Effect.fromResult(written))
        yield* Effect.orDie(launch(addressed.after.id))
        const paused = Result.getOrThrow(decide(active, { _tag: "pause" }, later(2)))
        yield* transact(store.apply(workspace, paused))
        yield* transact(store.apply(workspace, Result.getOrThrow(decide(paused.after, { _tag: "delete" }, later(3)))))
        assert.deepStrictEqual(yield* Effect.forEach([sent, used, idle], isThere), [true, true, false])
      }),
    )

    it.effect("removes the record of an email that is deleted separately", () =>
      Effect.gen(function* () {
        const { active, made, flows: store, workspace, transact, emails, isThere } = yield* begin
        const own = yield* made("own")
        const paused = Result.getOrThrow(decide(active, { _tag: "pause" }, later(2)))
        yield* transact(store.apply(workspace, paused))
        const removing = Effect.gen(function* () {
          const locked = yield* emails.lock(workspace, own.id)
          const uses = yield* emails.uses(workspace, own.id)
          yield* emails.apply(workspace, yield* Effect.fromResult(EmailChange.remove(locked, uses)))
        })
        yield* Effect.orDie(transact(removing))
        yield* transact(store.apply(workspace, Result.getOrThrow(decide(paused.after, { _tag: "delete" }, later(3)))))
        assert.isFalse(yield* isThere(own))
      }),
    )
  })
