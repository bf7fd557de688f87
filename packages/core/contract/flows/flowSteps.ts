// Contract tests of step executors: one email or page for each step visit, whatever the number of workers and attempts; a
// failed attempt is repeated.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import type { Ai } from "../../src/ports/Ai.ts"
import { EmailStore } from "../../src/emails/EmailStore.ts"
import { StepRuns, type CreatedKind } from "../../src/flows/steps/StepRuns.ts"
import type { StepRun } from "../../src/flows/members/MembershipChange.ts"
import type { FlowId } from "../../src/kernel/Ids.ts"
import { flowMakings as creating } from "../../src/Tentpole.ts"
import { TentStore } from "../../src/tents/TentStore.ts"
import type { WorkspaceFields } from "../../src/workspaces/Workspace.ts"
import { type FlowLive, flowLive, type FlowRooms, running } from "./flowMembersWorld.ts"

type Needs = FlowRooms | Ai | Exclude<Layer.Services<typeof creating>, FlowLive>

/** The AI refuses prompts with the word `refused` and writes subjects for emails. */
export const flowSteps = <E>(name: string, rooms: Layer.Layer<Needs, E>) => {
  const live = creating.pipe(Layer.provideMerge(flowLive), Layer.provideMerge(rooms))
  ofEmails(name, live)
  ofTents(name, live)
}

type Live = Needs | FlowLive | StepRuns

const begin = Effect.fnUntraced(function* (fields: WorkspaceFields = {}) {
  const world = yield* running(fields)
  const { advanceDue, memberships, person, started, workspace } = world
  const makings = yield* StepRuns
  const template = yield* world.emailTemplates.made({ html: "<p>Hello {{contact.first_name}}</p>" })
  yield* world.emailTemplates.approve(template.id)

  const member = Effect.fnUntraced(function* (flow: FlowId) {
    const query = { page: 1, limit: 1, status: null, search: null, sort: "entered_at", order: "asc" } as const
    const [shown] = (yield* memberships.list(workspace, flow, query)).items
    assert(shown !== undefined)
    return yield* memberships.get(workspace, flow, shown.membership.id)
  }, Effect.orDie)
  /** What the member waits for, as a job has it. */
  const making = Effect.fnUntraced(function* (flow: FlowId) {
    const { membership } = yield* member(flow)
    const { state } = membership
    assert(state.status === "active")
    const it: StepRun = {
      membershipId: membership.id,
      visit: state.visit.number,
      attempt: (state.retry?.count ?? 0) + 1,
    }
    return it
  })
  const make = (kind: CreatedKind, it: StepRun) => makings.run(workspace, kind, it)
  /** A contact at the first of these steps. */
  const waiting = Effect.fnUntraced(function* (steps: ReadonlyArray<object>) {
    const ann = yield* person("ann", { firstName: "Ann" })
    const flow = yield* started(steps)
    yield* memberships.add(workspace, flow, ann.id, { plan: "pro" })
    yield* advanceDue
    return flow
  }, Effect.orDie)
  const credits = Effect.map(Effect.orDie(world.workspaces.get(workspace)), (found) => found.credits)
  return { ...world, makings, template, member, making, make, waiting, credits }
})

const copy = (template_id: string, over: object = {}) => ({
  type: "create_email",
  step_id: "write",
  template_id,
  name: "For {{contact.first_name}}, {{campaign.dynamic.plan}}",
  next_step_id: "hello",
  ...over,
})
const sendIt = { type: "send_email", step_id: "hello", email_source: "flow_step", create_email_step_id: "write" }

const ofEmails = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`create_email steps (${name})`, (it) => {
    it.effect(
      "copies the template once, approves the copy and sends it to the member; the copy belongs to the flow",
      () =>
        Effect.gen(function* () {
          const { credits, emails, flows, mail, make, making, member, settleDown, template, waiting, workspace } =
            yield* begin()
          const flow = yield* waiting([copy(template.id), sendIt])
          const asked = yield* making(flow)
          yield* Effect.all([make("email", asked), make("email", asked), make("email", asked)], { concurrency: 3 })
          yield* make("email", asked)
          const { items } = yield* emails.list(workspace, {
            status: "approved",
            search: "For Ann",
            after: null,
            limit: 10,
          })
          assert.deepStrictEqual(
            items.map(({ name: of, subject }) => [of, subject]),
            [["For Ann, pro", "Grüße 🦊 {{contact.first_name}}"]],
          )
          const { membership } = yield* member(flow)
          assert.deepStrictEqual(
            membership.createdEmails.map(({ emailId, stepId }) => [stepId, String(emailId)]),
            [["write", String(items[0]?.id)]],
          )
          assert.strictEqual(yield* credits, 1_000)
          yield* settleDown
          assert.strictEqual((yield* mail()).length, 1)
          yield* settleDown
          assert.strictEqual((yield* member(flow)).membership.state.status, "completed")
          yield* flows.pause(workspace, flow)
          yield* flows.delete(workspace, flow)
          assert.deepStrictEqual(
            (yield* emails.list(workspace, { status: null, search: "For Ann", after: null, limit: 10 })).items,
            [],
          )
        }),
    )

    it.effect(
      "takes one credit for an email that the AI writes; returns it when the AI refuses, and tries again later",
      () =>
        Effect.gen(function* () {
          const { credits, make, making, member, template, waiting } = yield* begin()
          const generate = (prompt: string) => copy(template.id, { template_mode: "generate", prompt })
          const flow = yield* waiting([generate("a letter to {{contact.first_name}}"), sendIt])
          const asked = yield* making(flow)
          yield* make("email", asked)
          yield* make("email", asked)
          assert.strictEqual(yield* credits, 999)
          assert.strictEqual((yield* member(flow)).membership.createdEmails.length, 1)
          const refused = yield* begin()
          const other = yield* refused.waiting([
            copy(refused.template.id, { template_mode: "generate", prompt: "refused" }),
            sendIt,
          ])
          yield* refused.make("email", yield* refused.making(other))
          assert.strictEqual(yield* refused.credits, 1_000)
          const { state } = (yield* refused.member(other)).membership
          assert(state.status === "active" && state.doing.kind === "run")
          assert.include(state.retry?.error, "rather not")
          assert.isAbove(state.doing.dueAt.epochMilliseconds, (yield* DateTime.now).epochMilliseconds + 20_000)
          yield* refused.elapse(61_000)
          yield* refused.settleDown
          assert.strictEqual((yield* refused.making(other)).attempt, 2)
        }),
    )

    it.effect("creates nothing without credits, without a sender or after the member left", () =>
      Effect.gen(function* () {
        const poor = yield* begin({ credits: 0 })
        const flow = yield* poor.waiting([
          copy(poor.template.id, { template_mode: "generate", prompt: "a letter" }),
          sendIt,
        ])
        yield* poor.make("email", yield* poor.making(flow))
        assert.include(
          (yield* poor.member(flow)).timeline.map(({ type }) => type),
          "step_failed",
        )
        const left = yield* begin()
        const gone = yield* left.waiting([copy(left.template.id), sendIt])
        const asked = yield* left.making(gone)
        yield* left.memberships.remove(left.workspace, gone, (yield* left.member(gone)).membership.contactId)
        yield* left.make("email", asked)
        yield* left.makings.abandon(left.workspace, asked)
        const emails = yield* EmailStore
        const { items } = yield* emails.list(left.workspace, { status: null, search: null, after: null, limit: 10 })
        assert.deepStrictEqual(items, [])
        assert.strictEqual((yield* left.member(gone)).membership.state.status, "dropped")
      }),
    )

    it.effect("repeats a step that stopped its workers, with growing backoff", () =>
      Effect.gen(function* () {
        const { making, makings, member, template, waiting, workspace } = yield* begin()
        const flow = yield* waiting([copy(template.id), sendIt])
        yield* makings.abandon(workspace, yield* making(flow))
        const { state } = (yield* member(flow)).membership
        assert(state.status === "active")
        assert.deepInclude(state.retry, { count: 1 })
      }),
    )
  })

const page = (over: object = {}) => ({
  type: "create_tent",
  step_id: "page",
  prompt: "a page for {{contact.first_name}}",
  tent_name: "Of {{contact.first_name}}",
  next_step_id: "rest",
  ...over,
})
const rest = { type: "wait", step_id: "rest", duration_amount: 1, duration_unit: "days" }

const ofTents = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`create_tent steps (${name})`, (it) => {
    it.effect("creates and publishes a page once, and its address becomes a flow token", () =>
      Effect.gen(function* () {
        const { credits, make, making, member, waiting, workspace } = yield* begin()
        const tents = yield* TentStore
        const flow = yield* waiting([page({ custom_page_alias: "for-{{contact.first_name}}" }), rest])
        const asked = yield* making(flow)
        yield* make("tent", asked)
        yield* make("tent", asked)
        const { items } = yield* tents.list(workspace, { after: null, limit: 10 })
        assert.deepStrictEqual(
          items.map((tent) => [tent.name, tent.publication?.status, tent.request?.prompt]),
          [["Of Ann", "published", "a page for Ann"]],
        )
        const { membership } = yield* member(flow)
        assert.strictEqual(membership.state.status, "waiting")
        assert.match(String(membership.tokens["page_url"]), /\/for-ann$/)
        assert.strictEqual(yield* credits, 999)
      }),
    )

    it.effect("records a page that the AI refuses as a failed step without cost", () =>
      Effect.gen(function* () {
        const { credits, make, making, member, waiting } = yield* begin()
        const flow = yield* waiting([page({ prompt: "refused" }), rest])
        yield* make("tent", yield* making(flow))
        const { membership, timeline } = yield* member(flow)
        assert.include(
          timeline.map(({ type }) => type),
          "step_failed",
        )
        assert.deepStrictEqual(membership.tokens, { plan: "pro" })
        assert.strictEqual(yield* credits, 1_000)
      }),
    )
  })
