// From a claimed delivery to the bytes that go out: the approved email compiled once, rendered for its recipient, signed for
// its sending domain.
import { Cache, Context, DateTime, Duration, Effect, Exit, Layer, Schema } from "effect"
import { compile, type CompiledEmail } from "../emails/Compile.ts"
import { type DkimKey, dkimSigned, DkimSigner } from "../emails/Dkim.ts"
import { EmailStore } from "../emails/EmailStore.ts"
import { wireAddress } from "../emails/Headers.ts"
import type { Recipient } from "../emails/Message.ts"
import { render } from "../emails/Render.ts"
import type { ApprovalId, WorkspaceId } from "../Ids.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import type { ClaimedDelivery } from "./DeliveryStore.ts"
import { Links } from "./Links.ts"
import type { Envelope } from "./MailConnection.ts"
import { signingKeys } from "./SigningKeys.ts"

/** No message of this email can go out, whoever it is for: the blast has failed. */
export class SenderRefused extends Schema.TaggedError<SenderRefused>()("SenderRefused", {
  failure: Schema.Literals(["sender_domain_unverified", "approval_gone"]),
}) {}

/** This one message can't be made; that says nothing about the next. */
export class NotRendered extends Schema.TaggedError<NotRendered>()("NotRendered", { why: Schema.String }) {}

export interface OutgoingMessage {
  readonly envelope: Envelope
  readonly bytes: Uint8Array
}

/** What messages are prepared by; compared by value. */
interface Kind {
  readonly workspace: WorkspaceId
  readonly approvalId: ApprovalId
  readonly operational: boolean
}

/** What all messages of a kind have in common. */
interface Prepared {
  readonly compiled: CompiledEmail
  readonly key: DkimKey
}

/** Compiled emails that are kept: a worker sends few at a time. */
const prepared_max = 64
/** A changed postal address, or a domain that lost its verification, is noticed after this time. */
const prepared_for = Duration.seconds(30)

export class OutgoingMail extends Context.Service<
  OutgoingMail,
  {
    /** The same delivery gives the same message on every try, but for its date. */
    readonly make: (
      workspace: WorkspaceId,
      claimed: ClaimedDelivery,
    ) => Effect.Effect<OutgoingMessage, SenderRefused | NotRendered>
  }
>()("tentpole/OutgoingMail") {
  static readonly layer = Layer.effect(
    OutgoingMail,
    Effect.gen(function* () {
      const emails = yield* EmailStore
      const workspaces = yield* WorkspaceStore
      const keys = yield* signingKeys
      const signer = yield* DkimSigner
      const links = yield* Links

      /** The key of the sender's domain, which has to be verified. */
      const keyFor = Effect.fnUntraced(function* (workspace: WorkspaceId, fromAddress: string) {
        const key = yield* keys(workspace, fromAddress)
        return key ?? (yield* new SenderRefused({ failure: "sender_domain_unverified" }))
      })

      const prepare = Effect.fnUntraced(function* ({ approvalId, operational, workspace }: Kind) {
        const email = yield* emails
          .approval(workspace, approvalId)
          .pipe(Effect.catchTag("NotFound", () => new SenderRefused({ failure: "approval_gone" })))
        const { name, postalAddress } = yield* workspaces.find(workspace).pipe(Effect.orDie)
        const sender = { workspaceId: workspace, workspaceName: name, postalAddress }
        const prepared: Prepared = {
          compiled: compile(email, sender, { operational, tracked: true }),
          key: yield* keyFor(workspace, email.fromAddress),
        }
        return prepared
      })

      const cache = yield* Cache.makeWith(prepare, {
        capacity: prepared_max,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? prepared_for : Duration.zero),
      })

      return OutgoingMail.of({
        make: Effect.fnUntraced(function* (workspace, claimed) {
          const { address, approvalId, blastId, contact, id, operational } = claimed
          const { compiled, key } = yield* Cache.get(cache, { workspace, approvalId, operational })
          if (contact === null) return yield* new NotRendered({ why: "The contact has been deleted" })
          const target = { workspaceId: workspace, deliveryId: id }
          const recipient: Recipient = {
            deliveryId: id,
            contact,
            address,
            dynamic: {},
            links: links.of(target),
            messageId: `${id}@${key.domain}`,
            date: yield* DateTime.now,
            listId: `${workspace}.${key.domain}`,
            // Gmail's form: up to four parts, the last one the sender's.
            feedbackId: `${blastId}:${approvalId}:${workspace}:tentpole`,
          }
          const message = yield* Effect.try({
            try: () => render(compiled, recipient),
            catch: (error) => new NotRendered({ why: String(error) }),
          })
          const bytes = yield* dkimSigned(message, key).pipe(Effect.provideService(DkimSigner, signer))
          return { envelope: { from: links.returnPath(target, key.domain), to: wireAddress(address) }, bytes }
        }),
      })
    }),
  )
}
