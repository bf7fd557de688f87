// An email for one member: a copy of an approved template, or what the AI writes on top of it. It is approved as it is made,
// unless its step says otherwise, and belongs to the flow.
import { Cause, DateTime, Effect } from "effect"
import { EmailChange } from "../../emails/EmailChange.ts"
import type { EmailFields } from "../../documents/EmailFields.ts"
import { document_name_length_max } from "../../documents/Document.ts"
import { EmailStore } from "../../emails/EmailStore.ts"
import { emailGenerations } from "../../emails/EmailRules.ts"
import { draft, fieldsOf, type NewEmail } from "../../emails/NewEmail.ts"
import { ApprovalId, EmailId, GenerationId, Ids, type WorkspaceId } from "../../kernel/Ids.ts"
import { approvedNamed } from "../../templates/NamedTemplate.ts"
import { EmailTemplateStore } from "../../templates/TemplateStore.ts"
import { nameWith } from "../../kernel/Text.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import { FlowStore } from "../definition/FlowStore.ts"
import type { Making } from "../members/StepJobs.ts"
import { type Awaiting, StepExecutor } from "./StepExecutor.ts"
import { MembershipStore } from "../members/MembershipStore.ts"
import { type Reader, textFor } from "../members/MemberText.ts"
import type { CreateEmailStep } from "../definition/Step.ts"

export const emailMaking = Effect.gen(function* () {
  const members = yield* MembershipStore
  const flows = yield* FlowStore
  const emails = yield* EmailStore
  const ids = yield* Ids
  const { transact } = yield* Transactor
  const generations = yield* emailGenerations
  const { awaiting, giveUp, readerOf, tell } = yield* StepExecutor
  const changeOf = yield* writing

  /** The email, made now or before, and the generation that is still to write it. Null: it is not wanted any more. */
  const begin = Effect.fnUntraced(function* (ws: WorkspaceId, making: Making) {
    const it = yield* awaiting(ws, making)
    if (it?.step.type !== "create_email") return null
    const id = EmailId.make(yield* members.reserve(ws, making, yield* ids.next))
    const before = yield* emails.lock(ws, id).pipe(Effect.catchTag("NotFound", () => Effect.succeed(null)))
    if (before !== null) return { id, generation: before.generation }
    const change = yield* changeOf(ws, it, it.step, { id, reader: yield* readerOf(ws, it) })
    yield* emails.apply(ws, change)
    yield* flows.link(ws, { flowId: it.member.flowId, stepId: it.step.step_id, emailId: id })
    return { id, generation: change.generation?.after ?? null }
  }, transact)

  const approved = Effect.fnUntraced(function* (ws: WorkspaceId, id: EmailId) {
    const current = yield* emails.lock(ws, id)
    const approvalId = ApprovalId.make(yield* ids.next)
    const change = EmailChange.approve(current, yield* emails.facts(ws), { approvalId }, yield* DateTime.now)
    yield* Effect.orDie(emails.apply(ws, yield* Effect.fromResult(change)))
  })

  const finish = Effect.fnUntraced(function* (ws: WorkspaceId, making: Making, id: EmailId) {
    const it = yield* awaiting(ws, making)
    if (it?.step.type !== "create_email") return
    const { generation: latest } = yield* emails.lock(ws, id)
    const { visit, attempt } = making
    if (latest?.status === "generating")
      return yield* Effect.fail(new Cause.UnknownError(null, "another worker writes it"))
    if (latest?.status === "failed") {
      const error = latest.error ?? "the email could not be written"
      return yield* tell(ws, it, { type: "not_made", visit, attempt, error })
    }
    if (it.step.auto_approve) yield* approved(ws, id)
    yield* tell(ws, it, { type: "email_created", visit, emailId: id })
  }, transact)

  const make = Effect.fnUntraced(
    function* (ws: WorkspaceId, making: Making) {
      const begun = yield* begin(ws, making)
      if (begun === null) return
      if (begun.generation?.status === "generating") yield* generations.run(ws, begun.id, begun.generation.id)
      yield* finish(ws, making, begun.id)
    },
    (made, ws, making) =>
      Effect.catchTags(made, {
        NotFound: (refusal) => giveUp(ws, making, refusal.message),
        Invalid: (refusal) => giveUp(ws, making, refusal.message),
        HtmlTooLarge: (refusal) => giveUp(ws, making, refusal.message),
        TemplateNotApproved: (refusal) => giveUp(ws, making, refusal.message),
        TemplateNotReady: (refusal) => giveUp(ws, making, refusal.message),
        InsufficientCredits: (refusal) => giveUp(ws, making, refusal.message),
        EmailNotReady: (refusal) => giveUp(ws, making, refusal.message),
        ApprovalVersionStale: (refusal) => giveUp(ws, making, refusal.message),
      }),
  )

  return { make, giveUp }
})

const maker = "Flow"

/** The change that makes it: what the step says wins, then the template, then the workspace. */
const writing = Effect.gen(function* () {
  const templates = yield* EmailTemplateStore
  const workspaces = yield* WorkspaceStore
  const ids = yield* Ids
  return Effect.fnUntraced(function* (
    ws: WorkspaceId,
    { held, member }: Awaiting,
    step: CreateEmailStep,
    { id, reader }: { readonly id: EmailId; readonly reader: Reader },
  ) {
    const workspace = yield* Effect.orDie(workspaces.get(ws))
    const seed = step.template_id === null ? null : yield* approvedNamed(templates, ws, step.template_id)
    const flowName = held.flows.get(member.flowId)?.name ?? ""
    const given: NewEmail = { ...spoken(step), name: nameOf(step, flowName, reader) }
    const made = { id, createdByName: maker, now: yield* DateTime.now }
    if (step.template_mode === "copy_only") {
      return yield* Effect.fromResult(draft(given, { ...made, workspace, seed }))
    }
    const request = {
      id: GenerationId.make(yield* ids.next),
      prompt: textFor(reader, step.prompt ?? ""),
      createdByName: maker,
    }
    const fields = fieldsOf(given, seed, workspace)
    const asked = { ...made, fields, basis: seed?.html ?? null, request, queued: false }
    return yield* Effect.fromResult(EmailChange.createByPrompt(asked))
  })
})

/** What the step says itself. Tokens in it are filled in when the email is sent. */
const spoken = ({
  from_address: fromAddress,
  from_name: fromName,
  preview_text: previewText,
  reply_to_email: replyToEmail,
  subject,
}: CreateEmailStep): Partial<EmailFields> => ({
  ...(subject === null ? {} : { subject }),
  ...(previewText === null ? {} : { previewText }),
  ...(fromName === null ? {} : { fromName }),
  ...(fromAddress === null ? {} : { fromAddress }),
  ...(replyToEmail === null ? {} : { replyToEmail }),
})

/** Emails are told apart by their names in the listing: by whom they are for. */
const nameOf = ({ label, name }: CreateEmailStep, flowName: string, reader: Reader): string => {
  const chosen = name === null ? "" : textFor(reader, name).trim()
  if (chosen !== "") return chosen.slice(0, document_name_length_max)
  const { displayName, email, phone } = reader.contact
  return nameWith(label ?? flowName, ` for ${displayName ?? email ?? phone ?? "somebody"}`, document_name_length_max)
}
