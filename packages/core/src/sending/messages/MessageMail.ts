// Single messages, compiled: of the approval of an email, with a header of their own, or of parts of their own.
import { Cache, DateTime, Duration, Effect } from "effect"
import {
  type CompiledEmail,
  compiledCache_bytes_max,
  compiledSize_bytes,
  compileInput,
  compileParser,
} from "../../rendering/Compile.ts"
import { EmailStore } from "../../emails/EmailStore.ts"
import { type ApprovalId, type DeliveryId, EmailId, type WorkspaceId } from "../../kernel/Ids.ts"
import { weightedCache } from "../../kernel/runtime/WeightedCache.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Parsers } from "../../ports/Parsers.ts"
import { Links } from "../../rendering/Links.ts"
import { mailbox, wireAddress } from "../../rendering/message/Headers.ts"
import { senderOf } from "../../rendering/message/Message.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import type { MessageBody, MessageContent, MessageHeader } from "./MessageContent.ts"

/** What messages of the same approval have in common; compared by value. */
interface Kind {
  readonly workspace: WorkspaceId
  readonly approvalId: ApprovalId
  readonly operational: boolean
  readonly opens: boolean
  readonly clicks: boolean
  readonly plain: boolean
}

interface CompiledOf {
  readonly id: DeliveryId
  readonly approvalId: ApprovalId
  readonly operational: boolean
}

const compiled_max = 64
const senders_max = 1_000
/** How long a changed postal address may go unnoticed. */
const compiled_for = Duration.seconds(30)

/** Fails with `NotFound` when the approval is gone, and with `TooComplex`. */
export const messageMail = Effect.gen(function* () {
  const emails = yield* EmailStore
  const workspaces = yield* WorkspaceStore
  const links = yield* Links
  const parsers = yield* Parsers
  const { message_bytes_max } = yield* Settings

  const senders = yield* Cache.make({
    lookup: (workspace: WorkspaceId) => Effect.map(Effect.orDie(workspaces.get(workspace)), senderOf),
    capacity: senders_max,
    timeToLive: compiled_for,
  })

  const compiled = Effect.fnUntraced(function* (
    { clicks, operational, opens, plain, workspace }: Kind,
    email: Parameters<typeof compileInput>[0],
  ) {
    const options = { operational, plain, tracked: { opens, clicks }, addresses: links.addresses, message_bytes_max }
    const sender = yield* Cache.get(senders, workspace)
    return yield* parsers.run(compileParser, compileInput(email, sender, options), workspace)
  })

  const ofApprovals = yield* weightedCache({
    lookup: (kind: Kind) =>
      Effect.flatMap(emails.approval(kind.workspace, kind.approvalId), (email) => compiled(kind, email)),
    weigh: compiledSize_bytes,
    weight_max: compiledCache_bytes_max,
    capacity: compiled_max,
    timeToLive: compiled_for,
  })

  return Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    { approvalId, id, operational }: CompiledOf,
    content: MessageContent,
    body: MessageBody,
  ) {
    const { own } = body
    const kind: Kind = {
      workspace,
      approvalId,
      operational,
      opens: content.trackOpens,
      clicks: content.trackClicks,
      plain: own !== null && own.html === null,
    }
    const common =
      own === null
        ? yield* Cache.get(ofApprovals, kind)
        : yield* compiled(kind, ownEmail(id, approvalId, content.header, own))
    return withHeader(common, content.header)
  })
})

/** Its header is replaced. */
const ownEmail = (
  id: DeliveryId,
  approvalId: ApprovalId,
  { fromAddress, fromName, replyToEmail }: MessageHeader,
  { html, text }: NonNullable<MessageBody["own"]>,
): Parameters<typeof compileInput>[0] => ({
  approvalId,
  emailId: EmailId.make(id),
  version: 1,
  subject: "",
  previewText: null,
  fromName: fromName ?? "",
  fromAddress,
  replyToEmail: replyToEmail ?? "",
  html: html ?? "",
  text: text ?? "",
  approvedAt: DateTime.makeUnsafe(0),
})

const withHeader = (
  compiled: CompiledEmail,
  { fromAddress, fromName, replyToEmail, subject }: MessageHeader,
): CompiledEmail => ({
  ...compiled,
  subject: [subject],
  from: mailbox("From", fromName ?? "", fromAddress),
  replyTo: replyToEmail === null ? null : wireAddress(replyToEmail),
})
