// Execution of `create_tent` steps: a generated page for one member, published unless the step says otherwise.
import { Cause, DateTime, Effect } from "effect"
import { Ids, TentId, type WorkspaceId } from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { approvedNamed, TentTemplateStore } from "../../templates/TemplateStore.ts"
import { tentGenerations } from "../../tents/TentGeneration.ts"
import { checkNewTent } from "../../tents/NewTent.ts"
import { pageUrl } from "../../tents/pages/PageAddress.ts"
import { type Tent, tent_name_length_max } from "../../tents/Tent.ts"
import { TentChange } from "../../tents/machine.ts"
import { checkFilled } from "../../tents/Variables.ts"
import { TentStore } from "../../tents/TentStore.ts"
import { nameWith } from "../../kernel/Text.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import type { MemberEvent } from "../members/machine.ts"
import type { StepRun } from "../members/MembershipChange.ts"
import { StepExecutor } from "./StepExecutor.ts"
import { MembershipStore } from "../members/MembershipStore.ts"
import { type TextContext, textFor } from "../members/MemberText.ts"
import { creator_name } from "./CreateEmailStep.ts"
import type { CreateTentStep } from "../definition/Step.ts"

export const createTentRunner = Effect.gen(function* () {
  const members = yield* MembershipStore
  const tents = yield* TentStore
  const templates = yield* TentTemplateStore
  const settings = yield* Settings
  const ids = yield* Ids
  const { transact } = yield* Transactor
  const generations = yield* tentGenerations
  const { lockWaiting, fail, textContextOf, advance } = yield* StepExecutor

  const createTent = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    id: TentId,
    step: CreateTentStep,
    context: TextContext,
  ) {
    const texts = textsOf(step, context)
    const { request, requestedAlias } = yield* Effect.fromResult(checkNewTent({ ...texts, assetIds: [] }))
    const { template_id: templateId } = step
    const approved = templateId === null ? null : yield* approvedNamed(templates, workspace, templateId)
    yield* Effect.fromResult(checkFilled(approved === null ? [] : [approved.html], request.variables))
    const template = approved && { id: approved.templateId, approvalId: approved.approvalId }
    return TentChange.accept({
      queued: false,
      idle: null,
      id,
      name: texts.name,
      createdByName: creator_name,
      userId: null,
      request: { ...request, template, assetIds: [] },
      requestedAlias,
      now: yield* DateTime.now,
    })
  })

  /** The tent, new or from an earlier attempt; null: the member no longer waits for it. */
  const start = Effect.fnUntraced(function* (workspace: WorkspaceId, stepRun: StepRun) {
    const waiting = yield* lockWaiting(workspace, stepRun)
    if (waiting?.step.type !== "create_tent") return null
    const id = TentId.make(yield* members.reserve(workspace, stepRun, yield* ids.random))
    const before = yield* tents.lock(workspace, id).pipe(Effect.catchTag("NotFound", () => Effect.succeed(null)))
    if (before !== null) return id
    const change = yield* createTent(workspace, id, waiting.step, yield* textContextOf(workspace, waiting))
    yield* tents.apply(workspace, change).pipe(Effect.catchTag("AliasTaken", Effect.die))
    return id
  }, transact)

  const outcomeOf = Effect.fnUntraced(function* (workspace: WorkspaceId, tent: Tent, { attempt, visit }: StepRun) {
    const failure =
      tent.generation.status === "failed"
        ? tent.generation.error
        : tent.publication?.status === "failed"
          ? tent.publication.error.message
          : null
    const address =
      tent.alias === null ? ({ by: "id", id: tent.id } as const) : ({ by: "alias", alias: tent.alias } as const)
    const outcome: MemberEvent =
      failure === null
        ? { type: "tent_live", visit, url: pageUrl(settings, yield* tents.site(workspace), address) }
        : { type: "creation_failed", visit, attempt, error: failure }
    return outcome
  })

  const complete = Effect.fnUntraced(function* (workspace: WorkspaceId, stepRun: StepRun, id: TentId) {
    const waiting = yield* lockWaiting(workspace, stepRun)
    if (waiting?.step.type !== "create_tent") return
    const tent = yield* tents.lock(workspace, id)
    const { status } = tent.generation
    if (status !== "completed" && status !== "failed") {
      return yield* Effect.fail(new Cause.UnknownError(null, "another worker generates the tent"))
    }
    yield* advance(workspace, waiting, yield* outcomeOf(workspace, tent, stepRun))
  }, transact)

  const run = Effect.fnUntraced(
    function* (workspace: WorkspaceId, stepRun: StepRun) {
      const id = yield* start(workspace, stepRun)
      if (id === null) return
      yield* generations.run(workspace, id)
      yield* complete(workspace, stepRun, id)
    },
    (ran, workspace, stepRun) => Effect.catchTag(ran, refusals, ({ message }) => fail(workspace, stepRun, message)),
  )

  return { run, fail }
})

/** What no retry changes: the step has failed. */
const refusals = ["NotFound", "Invalid", "UnfilledVariables", "TemplateNotApproved", "InsufficientCredits"] as const

/** The step's texts with merge tokens filled. The name is the fallback for an empty prompt. */
const textsOf = (step: CreateTentStep, context: TextContext) => {
  const filled = (text: string | null) => (text === null ? "" : textFor(context, text).trim())
  const { displayName, email } = context.contact
  const name =
    filled(step.tent_name) ||
    nameWith(step.label ?? step.step_id, ` for ${displayName ?? email ?? "somebody"}`, tent_name_length_max)
  const alias = filled(step.custom_page_alias)
  return {
    name: name.slice(0, tent_name_length_max),
    prompt: filled(step.prompt) || name,
    includeBrand: step.include_brand,
    autoPublish: step.auto_publish,
    ...(alias === "" ? {} : { customPageAlias: alias.toLowerCase() }),
  }
}
