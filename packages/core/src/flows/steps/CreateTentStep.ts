// A page for one member: generated, published unless its step says otherwise, its address told to the member.
import { Cause, DateTime, Effect } from "effect"
import { Ids, TentId, type WorkspaceId } from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { approvalNamed } from "../../templates/NamedTemplate.ts"
import { TentTemplateStore } from "../../templates/TemplateStore.ts"
import { tentGenerations } from "../../tents/TentGeneration.ts"
import { checkNewTent } from "../../tents/NewTent.ts"
import { pageUrl } from "../../tents/pages/PageAddress.ts"
import { type Tent, tent_name_length_max } from "../../tents/Tent.ts"
import { TentChange } from "../../tents/machine.ts"
import { TentStore } from "../../tents/TentStore.ts"
import { nameWith } from "../../kernel/Text.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import type { MemberEvent } from "../members/machine.ts"
import type { Making } from "../members/StepJobs.ts"
import { StepExecutor } from "./StepExecutor.ts"
import { MembershipStore } from "../members/MembershipStore.ts"
import { type Reader, textFor } from "../members/MemberText.ts"
import type { CreateTentStep } from "../definition/Step.ts"

export const tentMaking = Effect.gen(function* () {
  const members = yield* MembershipStore
  const tents = yield* TentStore
  const templates = yield* TentTemplateStore
  const settings = yield* Settings
  const ids = yield* Ids
  const { transact } = yield* Transactor
  const generations = yield* tentGenerations
  const { awaiting, giveUp, readerOf, tell } = yield* StepExecutor

  const accepted = Effect.fnUntraced(function* (ws: WorkspaceId, id: TentId, step: CreateTentStep, reader: Reader) {
    const asked = wordsOf(step, reader)
    const { request, requestedAlias } = yield* Effect.fromResult(checkNewTent({ ...asked, assetIds: [] }))
    const { template_id: templateId } = step
    const template =
      templateId === null ? null : { id: templateId, approvalId: yield* approvalNamed(templates, ws, templateId) }
    return TentChange.accept({
      queued: false,
      idle: null,
      id,
      name: asked.name,
      userId: null,
      request: { ...request, template, assetIds: [] },
      requestedAlias,
      now: yield* DateTime.now,
    })
  })

  /** The tent, made now or before; null: it is not wanted any more. */
  const begin = Effect.fnUntraced(function* (ws: WorkspaceId, making: Making) {
    const it = yield* awaiting(ws, making)
    if (it?.step.type !== "create_tent") return null
    const id = TentId.make(yield* members.reserve(ws, making, yield* ids.random))
    const before = yield* tents.lock(ws, id).pipe(Effect.catchTag("NotFound", () => Effect.succeed(null)))
    if (before !== null) return id
    const change = yield* accepted(ws, id, it.step, yield* readerOf(ws, it))
    yield* tents.apply(ws, change).pipe(Effect.catchTag("AliasTaken", Effect.die))
    return id
  }, transact)

  const outcomeOf = Effect.fnUntraced(function* (ws: WorkspaceId, tent: Tent, { attempt, visit }: Making) {
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
        ? { type: "tent_live", visit, url: pageUrl(settings, yield* tents.site(ws), address) }
        : { type: "not_made", visit, attempt, error: failure }
    return outcome
  })

  const finish = Effect.fnUntraced(function* (ws: WorkspaceId, making: Making, id: TentId) {
    const it = yield* awaiting(ws, making)
    if (it?.step.type !== "create_tent") return
    const tent = yield* tents.lock(ws, id)
    const { status } = tent.generation
    if (status !== "completed" && status !== "failed") {
      return yield* Effect.fail(new Cause.UnknownError(null, "another worker makes it"))
    }
    yield* tell(ws, it, yield* outcomeOf(ws, tent, making))
  }, transact)

  const make = Effect.fnUntraced(
    function* (ws: WorkspaceId, making: Making) {
      const id = yield* begin(ws, making)
      if (id === null) return
      yield* generations.run(ws, id)
      yield* finish(ws, making, id)
    },
    (made, ws, making) =>
      Effect.catchTags(made, {
        NotFound: (refusal) => giveUp(ws, making, refusal.message),
        Invalid: (refusal) => giveUp(ws, making, refusal.message),
        TemplateNotApproved: (refusal) => giveUp(ws, making, refusal.message),
        InsufficientCredits: (refusal) => giveUp(ws, making, refusal.message),
      }),
  )

  return { make, giveUp }
})

/** The step's texts, as they read for the member. A template without a prompt is taken as it is. */
const wordsOf = (step: CreateTentStep, reader: Reader) => {
  const said = (text: string | null) => (text === null ? "" : textFor(reader, text).trim())
  const { displayName, email } = reader.contact
  const name =
    said(step.tent_name) ||
    nameWith(step.label ?? step.step_id, ` for ${displayName ?? email ?? "somebody"}`, tent_name_length_max)
  const alias = said(step.custom_page_alias)
  return {
    name: name.slice(0, tent_name_length_max),
    prompt: said(step.prompt) || name,
    includeBrand: step.include_brand,
    autoPublish: step.auto_publish,
    ...(alias === "" ? {} : { customPageAlias: alias.toLowerCase() }),
  }
}
