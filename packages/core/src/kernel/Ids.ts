// Ids: UUIDs branded by type. The `Ids` port creates them, so that a simulation can draw them from its seed.
import { Context, type Effect, Schema, SchemaGetter } from "effect"

const uuid = Schema.String.check(Schema.isUUID(undefined, { message: "must be a UUID" })).pipe(
  Schema.decode({ decode: SchemaGetter.toLowerCase(), encode: SchemaGetter.passthrough() }),
)

const idOf = <Name extends string>(identifier: Parameters<typeof Schema.brand<Name>>[0] & Name, description: string) =>
  uuid.pipe(Schema.brand<Name>(identifier)).annotate({ identifier, description })

export const WorkspaceId = idOf("WorkspaceId", "Id of a workspace")
export type WorkspaceId = typeof WorkspaceId.Type
export const ApiKeyId = idOf("ApiKeyId", "Id of an API key")
export type ApiKeyId = typeof ApiKeyId.Type
export const DomainId = idOf("DomainId", "Id of a sending domain")
export type DomainId = typeof DomainId.Type
export const ContactId = idOf("ContactId", "Id of a contact")
export type ContactId = typeof ContactId.Type
export const FieldDefinitionId = idOf("FieldDefinitionId", "Id of a custom field")
export type FieldDefinitionId = typeof FieldDefinitionId.Type
export const ListId = idOf("ListId", "Id of a contact list")
export type ListId = typeof ListId.Type
export const ExportId = idOf(
  "ExportId",
  "Id of an export of a contact list, of a blast's recipients or of consent records",
)
export type ExportId = typeof ExportId.Type
export const ImportSessionId = idOf("ImportSessionId", "Id of an import session")
export type ImportSessionId = typeof ImportSessionId.Type
export const ImportRunId = idOf("ImportRunId", "Id of an import run")
export type ImportRunId = typeof ImportRunId.Type
export const EmailId = idOf("EmailId", "Id of an email")
export type EmailId = typeof EmailId.Type
export const EmailTemplateId = idOf("EmailTemplateId", "Id of an email template")
export type EmailTemplateId = typeof EmailTemplateId.Type
export const TentTemplateId = idOf("TentTemplateId", "Id of a tent template")
export type TentTemplateId = typeof TentTemplateId.Type
export const GenerationId = idOf("GenerationId", "Id of an AI generation")
export type GenerationId = typeof GenerationId.Type
export const TestMailId = idOf("TestMailId", "Id of one test message of an email")
export type TestMailId = typeof TestMailId.Type
/** Identifies one approved copy. A blast sends it, whatever happens to the email later. */
export const ApprovalId = idOf("ApprovalId", "Id of an email's approval")
export type ApprovalId = typeof ApprovalId.Type
export const BlastId = idOf("BlastId", "Id of an email blast")
export type BlastId = typeof BlastId.Type
export const DeliveryId = idOf("DeliveryId", "Id of a message to one recipient")
export type DeliveryId = typeof DeliveryId.Type
/** A single message is a delivery, and has its id. */
export const MessageId = DeliveryId.annotate({ identifier: "MessageId", description: "Id of a single message" })
export type MessageId = DeliveryId
export const TentId = idOf("TentId", "Id of a tent")
export type TentId = typeof TentId.Type
export const AssetId = idOf("AssetId", "Id of a file that was uploaded to a tent")
export type AssetId = typeof AssetId.Type
export const BulkJobId = idOf("BulkJobId", "Id of a bulk creation of tents")
export type BulkJobId = typeof BulkJobId.Type
export const SubmissionId = idOf("SubmissionId", "Id of a form submission")
export type SubmissionId = typeof SubmissionId.Type
export const FlowId = idOf("FlowId", "Id of a triggered flow")
export type FlowId = typeof FlowId.Type
export const MembershipId = idOf("MembershipId", "Id of a flow membership")
export type MembershipId = typeof MembershipId.Type
export const WebhookEndpointId = idOf("WebhookEndpointId", "Id of a webhook endpoint")
export type WebhookEndpointId = typeof WebhookEndpointId.Type
export const WebhookDeliveryId = idOf("WebhookDeliveryId", "Id of a webhook delivery")
export type WebhookDeliveryId = typeof WebhookDeliveryId.Type
export const WebhookReplayId = idOf("WebhookReplayId", "Id of a replay of webhook deliveries")
export type WebhookReplayId = typeof WebhookReplayId.Type
export const TopicId = idOf("TopicId", "Id of a topic")
export type TopicId = typeof TopicId.Type
export const ConsentRecordId = idOf("ConsentRecordId", "Id of a consent record")
export type ConsentRecordId = typeof ConsentRecordId.Type
export const SubscriptionRequestId = idOf("SubscriptionRequestId", "Id of a subscription request")
export type SubscriptionRequestId = typeof SubscriptionRequestId.Type

export const UserId = idOf("UserId", "Id of a user")
export type UserId = typeof UserId.Type
export const SessionId = idOf("SessionId", "Id of a session of a user")
export type SessionId = typeof SessionId.Type
export const PasskeyId = idOf("PasskeyId", "Id of a passkey")
export type PasskeyId = typeof PasskeyId.Type
export const SignInLinkId = idOf("SignInLinkId", "Id of an invitation, or of another one-time link")
export type SignInLinkId = typeof SignInLinkId.Type

export const PageDomainId = idOf("PageDomainId", "Id of a page domain")
export type PageDomainId = typeof PageDomainId.Type
export const AuditEntryId = idOf("AuditEntryId", "Id of an entry of the audit log")
export type AuditEntryId = typeof AuditEntryId.Type

export class Ids extends Context.Service<
  Ids,
  {
    /** A UUID v7: ids of one process sort by creation time. */
    readonly next: Effect.Effect<string>
    /** `count` ids at once. */
    readonly many: (count: number) => Effect.Effect<ReadonlyArray<string>>
    /** A function that gives such ids, for pure code that finds out how many it needs. */
    readonly generator: Effect.Effect<() => string>
    /** A UUID v4, for public addresses: it does not reveal its creation time. */
    readonly random: Effect.Effect<string>
  }
>()("tentpole/Ids") {}
