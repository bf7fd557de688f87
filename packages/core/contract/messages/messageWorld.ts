// Fixture of the contract tests of single messages: a workspace with a verified domain, its use cases, and a worker's part.
import { DateTime, Effect, Layer } from "effect"
import { BounceReportStore } from "../../src/bounces/ReportStore.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { Contacts } from "../../src/contacts/Contacts.ts"
import { DomainId } from "../../src/kernel/Ids.ts"
import { encodeText } from "../../src/kernel/Bytes.ts"
import { Secrets } from "../../src/kernel/Secrets.ts"
import type { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { EmailMessages } from "../../src/messages/EmailMessages.ts"
import { EmailMessageStore } from "../../src/messages/EmailMessageStore.ts"
import { Links } from "../../src/rendering/Links.ts"
import { type ClaimedDelivery, DeliveryStore } from "../../src/sending/DeliveryStore.ts"
import type { Outcome } from "../../src/sending/MailConnection.ts"
import { OutgoingMail } from "../../src/sending/OutgoingMail.ts"
import { Settlement } from "../../src/sending/Settlement.ts"
import { SuppressionStore } from "../../src/sending/SuppressionStore.ts"
import type { SuppressionReason } from "../../src/sending/Suppression.ts"
import type { WorkspaceFields } from "../../src/workspaces/Workspace.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { Fresh } from "../kernel/fresh.ts"

const used = Layer.mergeAll(EmailMessages.layer, Contacts.layer, OutgoingMail.layer).pipe(
  Layer.provideMerge(Links.layer),
)

export type MessagePorts =
  | Layer.Services<typeof used>
  | Outbox
  | Secrets
  | BounceReportStore
  | ContactStore
  | DeliveryStore
  | EmailMessageStore
  | Fresh
  | SuppressionStore
  | Transactor
  | WorkspaceStore

export type MessageWorld = MessagePorts | Layer.Success<typeof used>

export const withUseCases = <E>(ports: Layer.Layer<MessagePorts, E>) => Layer.provideMerge(used, ports)

export const lease_ms = 60_000
export const domain = "shop.example.org"

/** A message that can be sent. */
export const input = (fields: Readonly<Record<string, unknown>> = {}) => ({
  to: { email: "Ann@example.org", name: "Ann Lee" },
  subject: "Your order {{data.order.id}}",
  text: "Thank you for order {{data.order.id}}.",
  from_address: `orders@${domain}`,
  data: { order: { id: 17 } },
  ...fields,
})

export const keyOf = (key: string, body: unknown = key) => ({ key, bodyHash: encodeText(JSON.stringify(body)) })

export const begin = Effect.fnUntraced(function* (fields: WorkspaceFields = {}) {
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace(fields)
  const messages = yield* EmailMessages
  const store = yield* EmailMessageStore
  const deliveries = yield* DeliveryStore
  const suppressions = yield* SuppressionStore
  const contacts = yield* Contacts
  const workspaces = yield* WorkspaceStore
  const secrets = yield* Secrets
  const { transact } = yield* Transactor
  const { privateKeyPem, publicKeyDer } = yield* secrets.rsaKeyPair
  yield* transact(
    Effect.gen(function* () {
      yield* workspaces.putDomain(workspace, {
        id: DomainId.make(yield* fresh.id),
        domain,
        status: "verified",
        dkimSelector: "tentpole",
        dkimPublicKey: publicKeyDer,
        dkimPrivateKeySealed: yield* secrets.seal("dkim", encodeText(privateKeyPem)),
        verifiedAt: DateTime.makeUnsafe(0),
        createdAt: DateTime.makeUnsafe(0),
      })
    }),
  )
  const send = (with_: Readonly<Record<string, unknown>> = {}, key: ReturnType<typeof keyOf> | null = null) =>
    messages.send(workspace, input(with_), key)
  const claim = (limit = 100) => transact(deliveries.claimMessages(workspace, { limit, lease_ms }))
  const turns = Effect.map(transact(deliveries.messageTurns(1_000, 1)), (all) =>
    all.filter((turn) => turn.workspace === workspace),
  )
  const grant = (claims: ReadonlyArray<ClaimedDelivery>) => deliveries.grant(workspace, claims, lease_ms)
  const settle = Effect.fnUntraced(function* (claimed: ClaimedDelivery, outcome: Outcome) {
    const at = yield* DateTime.now
    const settled = Settlement.of(claimed, { _tag: "outcome", outcome }, { at, acceptMeansDelivered: true })
    yield* transact(deliveries.settle(workspace, [settled]))
    return settled
  })
  const suppress = (email: string, reason: SuppressionReason) =>
    Effect.flatMap(DateTime.now, (createdAt) =>
      transact(suppressions.suppress(workspace, { email, reason, createdAt })),
    )
  return {
    fresh,
    workspace,
    messages,
    store,
    deliveries,
    contacts,
    transact,
    send,
    claim,
    turns,
    grant,
    settle,
    suppress,
    sweep: transact(deliveries.sweep(workspace)),
  }
})

export const accepted: Outcome = { _tag: "accepted", reply: "250 2.0.0 ok" }
export const deferred: Outcome = { _tag: "refused", code: 451, reply: "451 4.7.1 later" }
