// Execution of `create_email` steps: a copy of an approved template, or an email that the AI generates. The email
// belongs to the flow, and is approved unless the step says otherwise.
import { Cause, DateTime, Effect, Record } from "effect"
import { EmailChange } from "../../emails/Email.ts"
import type { EmailFields } from "../../documents/EmailFields.ts"
import { document_name_length_max } from "../../documents/Document.ts"
import { EmailStore } from "../../emails/EmailStore.ts"
import { emailGenerations } from "../../emails/Emails.ts"
import { draft, fieldsOf, type NewEmail } from "../../emails/NewEmail.ts"
import { ApprovalId, EmailId, GenerationId, Ids, type WorkspaceId } from "../../kernel/Ids.ts"
import { approvedNamed, EmailTemplateStore } from "../../templates/TemplateStore.ts"
import { decideWith, Parsers } from "../../ports/Parsers.ts"
import { nameWith } from "../../kernel/Text.ts"
import { Actor } from "../../kernel/changes/Actor.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import { FlowStore } from "../definition/FlowStore.ts"
import type { StepRun } from "../members/MembershipChange.ts"
import { type WaitingMember, StepExecutor } from "./StepExecutor.ts"
import { MembershipStore } from "../members/MembershipStore.ts"
import { type TextContext, textFor } from "../members/MemberText.ts"
import { type CreateEmailStep, headersOf } from "../definition/Step.ts"

export const createEmailRunner = Effect.gen(function* () {
  const members = yield* MembershipStore
  const flows = yield* FlowStore
  const emails = yield* EmailStore
  const ids = yield* Ids
  const { transact } = yield* Transactor
  const generations = yield* emailGenerations
  const parsers = yield* Parsers
  const { lockWaiting, fail, textContextOf, advance } = yield* StepExecutor
  const changeOf = yield* makeEmailChange

  /** The email, new or from an earlier attempt, and its unfinished generation. Null: the member no longer waits for it. */
  const start = Effect.fnUntraced(function* (workspaceId: WorkspaceId, stepRun: StepRun) {
    const waiting = yield* lockWaiting(workspaceId, stepRun)
    if (waiting?.step.type !== "create_email") return null
    const id = EmailId.make(yield* members.reserve(workspaceId, stepRun, yield* ids.next))
    const before = yield* emails.lock(workspaceId, id).pipe(Effect.catchTag("NotFound", () => Effect.succeed(null)))
    if (before !== null) return { id, generation: before.generation }
    const change = yield* changeOf(workspaceId, waiting, waiting.step, {
      id,
      context: yield* textContextOf(workspaceId, waiting),
    })
    yield* emails.apply(workspaceId, change)
    yield* flows.link(workspaceId, { flowId: waiting.member.flowId, stepId: waiting.step.step_id, emailId: id })
    return { id, generation: change.generation?.after ?? null }
  }, transact)

  const approve = Effect.fnUntraced(function* (workspaceId: WorkspaceId, id: EmailId) {
    const current = yield* emails.lock(workspaceId, id)
    const approvalId = ApprovalId.make(yield* ids.next)
    const facts = yield* emails.facts(workspaceId)
    const edit = { by: yield* Actor, now: yield* DateTime.now }
    const change = yield* decideWith(
      parsers,
      workspaceId,
    )((parse) => EmailChange.approve(current, facts, { approvalId }, edit, parse))
    yield* Effect.orDie(emails.apply(workspaceId, yield* Effect.fromResult(change)))
  })

  const complete = Effect.fnUntraced(function* (workspaceId: WorkspaceId, stepRun: StepRun, id: EmailId) {
    const waiting = yield* lockWaiting(workspaceId, stepRun)
    if (waiting?.step.type !== "create_email") return
    const { generation: latest } = yield* emails.lock(workspaceId, id)
    const { visit, attempt } = stepRun
    if (latest?.status === "generating")
      return yield* Effect.fail(new Cause.UnknownError(null, "another worker generates the email"))
    if (latest?.status === "failed") {
      const error = latest.error ?? "the email could not be generated"
      return yield* advance(workspaceId, waiting, { type: "creation_failed", visit, attempt, error })
    }
    if (waiting.step.auto_approve) yield* approve(workspaceId, id)
    yield* advance(workspaceId, waiting, { type: "email_created", visit, emailId: id })
  }, transact)

  const run = Effect.fnUntraced(
    function* (workspaceId: WorkspaceId, stepRun: StepRun) {
      const started = yield* start(workspaceId, stepRun)
      if (started === null) return
      if (started.generation?.status === "generating")
        yield* generations.run(workspaceId, started.id, started.generation.id)
      yield* complete(workspaceId, stepRun, started.id)
    },
    (ran, workspaceId, stepRun) => Effect.catchTag(ran, refusals, ({ message }) => fail(workspaceId, stepRun, message)),
  )

  return { run, fail }
})

/** What no retry changes: the step has failed. */
const refusals = [
  "NotFound",
  "Invalid",
  "HtmlTooLarge",
  "TemplateNotApproved",
  "TemplateNotReady",
  "InsufficientCredits",
  "EmailNotReady",
  "TooComplex",
  "ApprovalVersionStale",
  "AnotherPersonNeeded",
] as const

/** The creator of what flows create. */
export const creator_name = "Flow"

/** The change that creates the email. Fields come from the step, then the template, then the workspace. */
const makeEmailChange = Effect.gen(function* () {
  const templates = yield* EmailTemplateStore
  const workspaces = yield* WorkspaceStore
  const ids = yield* Ids
  const parsers = yield* Parsers
  return Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    { locked, member }: WaitingMember,
    step: CreateEmailStep,
    { id, context }: { readonly id: EmailId; readonly context: TextContext },
  ) {
    const workspace = yield* Effect.orDie(workspaces.get(workspaceId))
    const seed = step.template_id === null ? null : yield* approvedNamed(templates, workspaceId, step.template_id)
    const flowName = locked.flows.get(member.flowId)?.name ?? ""
    const given: NewEmail = { ...stepFields(step), name: nameOf(step, flowName, context) }
    const by = yield* Actor
    const created = { id, createdByName: creator_name, by, now: yield* DateTime.now }
    if (step.template_mode === "copy_only") {
      const facts = { ...created, workspace, seed }
      return yield* Effect.fromResult(yield* decideWith(parsers, workspaceId)((parse) => draft(given, facts, parse)))
    }
    const request = {
      id: GenerationId.make(yield* ids.next),
      prompt: textFor(context, step.prompt ?? ""),
      createdByName: creator_name,
      createdBy: by,
    }
    const fields = fieldsOf(given, seed, workspace)
    const input = { ...created, fields, basis: seed?.html ?? null, request, queued: false }
    return yield* Effect.fromResult(EmailChange.createByPrompt(input))
  })
})

/** The fields that the step sets. Their merge tokens are filled when the email is sent. */
const stepFields = (step: CreateEmailStep): Partial<EmailFields> =>
  Record.filter(headersOf(step), (field) => field !== null)

/** The name identifies the email's recipient in listings. */
const nameOf = ({ label, name }: CreateEmailStep, flowName: string, context: TextContext): string => {
  const chosen = name === null ? "" : textFor(context, name).trim()
  if (chosen !== "") return chosen.slice(0, document_name_length_max)
  const { displayName, email, phone } = context.contact
  return nameWith(label ?? flowName, ` for ${displayName ?? email ?? phone ?? "somebody"}`, document_name_length_max)
}
