// Contract tests of `FlowStore`: reads return what was written, and of two concurrent writes one wins.
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer, Result } from "effect"
import { EmailChange } from "../../src/emails/Email.ts"
import type { Flow } from "../../src/flows/definition/Flow.ts"
import { decide, type FlowChange } from "../../src/flows/definition/machine.ts"
import type { FlowQuery } from "../../src/flows/definition/FlowStore.ts"
import { readFlowPatch } from "../../src/flows/definition/FlowInput.ts"
import { namedBy, namedByFlow } from "../../src/flows/definition/FlowReferences.ts"
import { emptyTally } from "../../src/flows/members/TallyMoves.ts"
import type { NotFound } from "../../src/kernel/Refusal.ts"
import { later, noon } from "../blasts/blastWorld.ts"
import { day, flowWorld, type FlowRooms, onList, send } from "./flowWorld.ts"
import { flowUses } from "./flowUses.ts"
import { Fresh } from "../kernel/fresh.ts"
import { eventsOf } from "../contacts/notifications.ts"

const all: FlowQuery = {
  page: 1,
  limit: 25,
  statuses: ["draft", "active", "paused", "archived"],
  search: "",
  sortBy: "updated_at",
  sortOrder: "desc",
}

type Decide = (flow: Flow) => Result.Result<FlowChange<Flow>, unknown>

/** Every move of the state machine that needs no facts. */
const moves: ReadonlyArray<Decide> = [
  (flow) => decide(flow, { _tag: "pause" }, later(203)),
  (flow) =>
    decide(flow, { _tag: "edit", patch: { name: "Ärger 😀 'x' \\ %", description: null, structure: {} } }, later(307)),
  (flow) => decide(flow, { _tag: "archive" }, later(404)),
]

const namedIn = (body: object) => namedBy(readFlowPatch(body).pieces)
const sending = (email_id: string) => ({ type: "send_email", step_id: email_id, email_id })
const changed = (field: string) => ({ type: "contact_updated", field })

export const flows = <E>(name: string, live: Layer.Layer<FlowRooms, E>) => {
  writing(name, live)
  facts(name, live)
  flowUses(name, live)
}

const writing = <E>(name: string, live: Layer.Layer<FlowRooms, E>) =>
  layer(live, { excludeTestServices: true })(`FlowStore writes (${name})`, (it) => {
    it.effect("reads a flow as each decision left it, with every element of its structure", () =>
      Effect.gen(function* () {
        const {
          flows: store,
          workspace,
          writeFlow,
          flow,
          activate,
          field,
          listOf,
          approvedEmail,
          tentMoves,
        } = yield* flowWorld()
        const { id: listId } = yield* listOf("l", [])
        const { id: emailId } = yield* approvedEmail("e")
        const { id: tentId } = yield* tentMoves.accept(workspace, {})
        yield* field("birthday", "date")
        let known = yield* flow("A", {
          description: "two\nlines",
          reentry_policy: "no_reentry",
          manual_membership_enabled: false,
          settings: { color: "red", "10": [1.5, { deep: null }], ä: "😀" },
          disqualification_rules: onList(listId),
          triggers: [
            { type: "added_to_static_list", list_id: listId },
            { type: "date_based", field: "birthday", mode: "before_date", days_before: 7, timezone: "Europe/Berlin" },
            { type: "form_submitted", tent_id: tentId, form_id: "signup" },
            { type: "form_submitted" },
            { type: "service_api", fields: [{ name: "order_id", type: "number" }] },
            { type: "contact_updated", field: "leadStatus", operator: "eq", value: "hot" },
          ],
          steps: [send("a", { email_id: emailId, next_step_id: "b" }), day("b", null)],
        })
        assert.deepStrictEqual(yield* store.get(workspace, known.id), { flow: known, tally: emptyTally })
        known = yield* Effect.orDie(activate(known.id))
        assert.deepStrictEqual((yield* store.get(workspace, known.id)).flow, known)
        for (const decide of moves) {
          const change = Result.getOrThrow(decide(known))
          yield* writeFlow(change)
          known = change.after
          assert.deepStrictEqual((yield* store.get(workspace, known.id)).flow, known)
        }
        assert.deepStrictEqual(yield* store.stepCounts(workspace, known.id), new Map())
        yield* writeFlow(Result.getOrThrow(decide(known, { _tag: "delete" }, later(500))))
        assert.strictEqual((yield* Effect.flip(store.get(workspace, known.id)))._tag, "NotFound")
      }),
    )

    it.effect("writes only a change, and only onto the state that it was decided on", () =>
      Effect.gen(function* () {
        const { flows: store, workspace, transact, writeFlow, flow } = yield* flowWorld()
        const draft = yield* flow("a")
        const edited = (settings: object) =>
          Result.getOrThrow(
            decide(draft, { _tag: "edit", patch: { structure: { settings: { ...settings } } } }, later(1)),
          )
        const archived = Result.getOrThrow(decide(draft, { _tag: "archive" }, later(1)))
        yield* writeFlow(edited({ a: 1 }))
        for (const stale of [edited({ b: 1 }), archived, { ...archived } as never]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(transact(store.apply(workspace, stale)))))
        }
        const known = edited({ a: 1 }).after
        assert.deepStrictEqual((yield* store.get(workspace, draft.id)).flow, known)
        const renamed = Result.getOrThrow(
          decide(known, { _tag: "edit", patch: { name: "b", structure: {} } }, later(2)),
        )
        const put = Result.getOrThrow(decide(known, { _tag: "archive" }, later(3)))
        yield* writeFlow(put)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(writeFlow(renamed))))
        assert.deepStrictEqual((yield* store.get(workspace, draft.id)).flow, put.after)
      }),
    )

    it.effect("makes the second of two concurrent decisions read what the first one wrote", () =>
      Effect.gen(function* () {
        const { flows: store, workspace, transact, flow } = yield* flowWorld()
        const draft = yield* flow("a")
        const rename = transact(
          Effect.gen(function* () {
            const before = yield* store.lock(workspace, draft.id)
            yield* Effect.sleep("20 millis")
            const change = decide(before, { _tag: "edit", patch: { name: `${before.name}b`, structure: {} } }, later(5))
            yield* store.apply(workspace, yield* Effect.fromResult(change))
          }),
        )
        yield* Effect.all([rename, rename, rename], { concurrency: 3 })
        assert.strictEqual((yield* store.get(workspace, draft.id)).flow.name, "abbb")
      }),
    )

    it.effect("writes changes to the outbox; a failed transaction leaves neither flow nor event", () =>
      Effect.gen(function* () {
        const { flows: store, workspace, transact, writeFlow, flow } = yield* flowWorld()
        const draft = yield* flow("a")
        const archived = Result.getOrThrow(decide(draft, { _tag: "archive" }, later(1)))
        yield* Effect.exit(transact(Effect.andThen(store.apply(workspace, archived), Effect.fail("no"))))
        assert.strictEqual((yield* store.get(workspace, draft.id)).flow.lifecycle.status, "draft")
        yield* writeFlow(archived)
        const events = (yield* eventsOf(workspace)).filter(({ type }) => type.startsWith("flow_"))
        assert.deepStrictEqual(
          events.map(({ type, data, at }) => ({ type, data, at })),
          [
            { type: "flow_created", data: { flow_id: draft.id, from: null }, at: noon },
            { type: "flow_archived", data: { flow_id: draft.id, from: "draft" }, at: later(1) },
          ],
        )
      }),
    )

    it.effect("lists flows by status and name in each order, ties by id", () =>
      Effect.gen(function* () {
        const { flows: store, workspace, flow, writeFlow } = yield* flowWorld()
        const first = yield* flow("Ärger", {}, later(1))
        const second = yield* flow("beta", {}, later(2))
        const third = yield* flow("Beta 2", {}, later(2))
        yield* writeFlow(Result.getOrThrow(decide(second, { _tag: "archive" }, later(9))))
        const names = (over: Partial<FlowQuery>) =>
          Effect.map(store.list(workspace, { ...all, ...over }), ({ items }) =>
            items.map(({ flow: { name: of } }) => of),
          )
        const inIds = [second, third].sort((a, b) => (a.id < b.id ? -1 : 1)).map((each) => each.name)
        assert.deepStrictEqual(yield* names({}), ["beta", "Beta 2", "Ärger"])
        assert.deepStrictEqual(yield* names({ sortBy: "created_at", sortOrder: "asc" }), ["Ärger", ...inIds])
        assert.deepStrictEqual(yield* names({ sortBy: "created_at" }), [...inIds, "Ärger"])
        assert.deepStrictEqual(yield* names({ sortBy: "name", sortOrder: "asc" }), ["beta", "Beta 2", "Ärger"])
        assert.deepStrictEqual(yield* names({ search: "BET" }), ["beta", "Beta 2"])
        assert.deepStrictEqual(yield* names({ search: "%" }), [])
        assert.deepStrictEqual(yield* names({ statuses: ["draft"] }), ["Beta 2", "Ärger"])
        const { items, total } = yield* store.list(workspace, { ...all, limit: 2, page: 2 })
        assert.deepStrictEqual([items, total], [[{ flow: first, tally: emptyTally }], 3])
      }),
    )

    it.effect("neither shows nor changes flows of another workspace", () =>
      Effect.gen(function* () {
        const { flows: store, workspace, transact, flow, approvedEmail, listOf } = yield* flowWorld()
        const draft = yield* flow("a")
        const { id: emailId } = yield* approvedEmail("e")
        const { id: listId } = yield* listOf("l", [])
        const other = yield* (yield* Fresh).workspace()
        const unseenOnes: ReadonlyArray<Effect.Effect<unknown, NotFound>> = [
          store.get(other, draft.id),
          transact(store.lock(other, draft.id)),
          transact(store.lockForActivation(other, draft.id)),
        ]
        for (const each of unseenOnes) assert.strictEqual((yield* Effect.flip(each))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.list(other, all), { items: [], total: 0 })
        assert.strictEqual((yield* store.stepCounts(other, draft.id)).size, 0)
        const named = namedIn({
          triggers: [{ type: "added_to_static_list", list_id: listId }],
          steps: [sending(emailId)],
        })
        const known = yield* transact(store.lockNamed(other, named))
        assert.deepStrictEqual([known.staticLists.size, known.emails.size], [0, 0])
        const trial = yield* store.simulationFacts(other, { named, emailNormalized: null })
        assert.deepStrictEqual([trial.facts.staticLists.size, trial.facts.subjects.size], [0, 0])
        const archived = Result.getOrThrow(decide(draft, { _tag: "archive" }, later(1)))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(transact(store.apply(other, archived)))))
        assert.deepStrictEqual((yield* store.get(workspace, draft.id)).flow, draft)
      }),
    )
  })

const facts = <E>(name: string, live: Layer.Layer<FlowRooms, E>) =>
  layer(live, { excludeTestServices: true })(`FlowStore facts (${name})`, (it) => {
    it.effect("reads the named contacts, lists, emails and templates that exist, and no inline list of a blast", () =>
      Effect.gen(function* () {
        const world = yield* flowWorld()
        const { flows: store, workspace, transact, field, archiving, listOf, list, draftEmail, lists, fresh } = world
        const [stage, old] = [yield* field("stage"), yield* field("old_stage")]
        yield* transact(archiving(old.id))
        const { id: fixed } = yield* listOf("static", [])
        const { id: dynamic } = yield* list("dynamic", { kind: "dynamic", rules: null })
        const inline = yield* world.inlineList("inline")
        const { items } = yield* lists.list(workspace, { page: 1, limit: 10, search: null, kind: "system" })
        const { id: emailId } = yield* draftEmail("draft")
        const template = yield* world.emailTemplates.made()
        const tentTemplate = yield* world.tentTemplates.made()
        const tent = yield* world.tentMoves.accept(workspace, {})
        const nowhere = yield* fresh.id
        const body = {
          triggers: [fixed, dynamic, items[0]?.id, inline, nowhere].flatMap((list_id) => [
            { type: "added_to_static_list", list_id },
            { type: "form_submitted", tent_id: tent.id },
          ]),
          steps: [
            sending(emailId),
            { type: "create_email", step_id: "email", template_id: template.id },
            { type: "create_tent", step_id: "tent", template_id: tentTemplate.id },
            sending(nowhere),
            { type: "create_email", step_id: "no_email", template_id: nowhere },
            { type: "create_tent", step_id: "no_tent", template_id: nowhere },
          ],
          disqualification_rules: {
            kind: "condition",
            source: "custom_field",
            fieldDefinitionId: old.id,
            operator: "is_empty",
          },
        }
        const named = namedIn({ ...body, triggers: [...body.triggers, changed("stage"), changed("nothing")] })
        const known = yield* transact(store.lockNamed(workspace, named))
        assert.deepStrictEqual(
          known.fields.map(({ id, apiName, status }) => [id, apiName, status]).sort(),
          [
            [stage.id, "stage", "active"],
            [old.id, "old_stage", "archived"],
          ].sort(),
        )
        assert.deepStrictEqual([...known.staticLists], [fixed])
        assert.deepStrictEqual(new Set<unknown>(known.otherLists), new Set([dynamic, items[0]?.id]))
        assert.deepStrictEqual([...known.emails], [emailId])
        assert.deepStrictEqual([...known.emailTemplates], [template.id])
        assert.deepStrictEqual([...known.tentTemplates], [tentTemplate.id])
        assert.deepStrictEqual([...known.tents], [tent.id])
      }),
    )

    it.effect("reads the approvals, template contents, senders, domains and plan for an activation", () =>
      Effect.gen(function* () {
        const senderDefaults = { fromName: "Us", fromAddress: "us@example.test", replyToEmail: null }
        const world = yield* flowWorld({ senderDefaults, plan: "pro" })
        const { flows: store, workspace, transact, flow, draftEmail, approve, approvedEmail } = world
        const approved = yield* approvedEmail("approved")
        const draft = yield* draftEmail("draft")
        const template = yield* world.emailTemplates.made({
          html: "<p>{{api.price:uppercase|free}} {{contact.first_name}} {{ api.price }}</p>",
        })
        const unread = yield* world.emailTemplates.made()
        yield* world.emailTemplates.approve(template.id)
        const [page, unused] = [
          yield* world.tentTemplates.made({ html: "<p>{{api.city}} {{api.day|today}} {{contact.city}}</p>" }),
          yield* world.tentTemplates.made(),
        ]
        yield* world.tentTemplates.approve(page.id)
        const { id } = yield* flow("a", {
          steps: [
            send("a", { email_id: approved.id }),
            send("b", { email_id: draft.id }),
            { type: "create_email", step_id: "c", template_id: template.id },
            { type: "create_email", step_id: "d", template_id: unread.id },
            { type: "create_tent", step_id: "e", template_id: page.id },
            { type: "create_tent", step_id: "f", template_id: unused.id },
          ],
        })
        const { facts: known, flow: locked } = yield* transact(store.lockForActivation(workspace, id))
        assert.strictEqual(locked.id, id)
        assert.deepStrictEqual(yield* store.activationFacts(workspace, namedByFlow(locked.structure)), known)
        assert.deepStrictEqual([known.plan.plan, known.plan.flows], ["pro", true])
        const approval = { id: approved.approval?.id, fromAddress: "news@example.test" }
        assert.deepStrictEqual(
          new Map<string, unknown>(known.emails),
          new Map<string, unknown>([
            [approved.id, { approval }],
            [draft.id, { approval: null }],
          ]),
        )
        assert.deepStrictEqual(
          new Map(known.emailTemplates),
          new Map([[template.id, { defaults: template.defaults, apiTokens: ["api.price"] }]]),
        )
        assert.deepStrictEqual([...known.tentTemplates], [[page.id, { variables: ["api.city"] }]])
        assert.deepStrictEqual([known.senderDefaults, [...known.verifiedDomains]], [senderDefaults, ["example.test"]])
        yield* approve(draft.id)
        const after = yield* transact(store.lockForActivation(workspace, id))
        assert.isNotNull(after.facts.emails.get(draft.id)?.approval)
      }),
    )

    it.effect(
      "reads subjects, approved ones first, the workspace's name, and suppressed addresses for a simulation",
      () =>
        Effect.gen(function* () {
          const world = yield* flowWorld({ name: "Acme" })
          const { flows: store, workspace, approvedEmail, draftEmail, emails, transact } = world
          const approved = yield* approvedEmail("approved", { subject: "as approved" })
          yield* Effect.orDie(
            transact(
              Effect.gen(function* () {
                const current = yield* emails.lock(workspace, approved.id)
                yield* emails.apply(
                  workspace,
                  Result.getOrThrow(
                    EmailChange.update(current, { subject: "edited" }, { by: "worker", now: later(1) }),
                  ),
                )
              }),
            ),
          )
          const draft = yield* draftEmail("draft", { subject: "of the draft" })
          const template = yield* world.emailTemplates.made()
          const named = namedIn({
            steps: [
              sending(approved.id),
              sending(draft.id),
              { type: "create_email", step_id: "create", template_id: template.id },
            ],
          })
          const trial = yield* store.simulationFacts(workspace, { named, emailNormalized: "unknown@example.test" })
          assert.deepStrictEqual(
            new Map(trial.facts.subjects),
            new Map([
              [approved.id, "as approved"],
              [draft.id, "of the draft"],
            ]),
          )
          assert.deepStrictEqual(
            new Map(trial.facts.templateSubjects),
            new Map([[template.id, template.defaults.subject]]),
          )
          assert.deepStrictEqual([trial.facts.workspaceName, trial.suppression], ["Acme", null])
        }),
    )
  })
