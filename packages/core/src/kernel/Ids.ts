// Ids: UUIDs branded by type. The `Ids` port creates them, so that a simulation can draw them from its seed.
import { Context, type Effect, Schema, SchemaGetter } from "effect"

const uuid = Schema.String.check(Schema.isUUID(undefined, { message: "must be a UUID" })).pipe(
  Schema.decode({ decode: SchemaGetter.toLowerCase(), encode: SchemaGetter.passthrough() }),
)

export const WorkspaceId = uuid
  .pipe(Schema.brand("WorkspaceId"))
  .annotate({ identifier: "WorkspaceId", description: "Id of a workspace" })
export type WorkspaceId = typeof WorkspaceId.Type
export const ApiKeyId = uuid
  .pipe(Schema.brand("ApiKeyId"))
  .annotate({ identifier: "ApiKeyId", description: "Id of an API key" })
export type ApiKeyId = typeof ApiKeyId.Type
export const DomainId = uuid
  .pipe(Schema.brand("DomainId"))
  .annotate({ identifier: "DomainId", description: "Id of a sending domain" })
export type DomainId = typeof DomainId.Type
export const ContactId = uuid
  .pipe(Schema.brand("ContactId"))
  .annotate({ identifier: "ContactId", description: "Id of a contact" })
export type ContactId = typeof ContactId.Type
export const FieldDefinitionId = uuid
  .pipe(Schema.brand("FieldDefinitionId"))
  .annotate({ identifier: "FieldDefinitionId", description: "Id of a custom field" })
export type FieldDefinitionId = typeof FieldDefinitionId.Type
export const ListId = uuid
  .pipe(Schema.brand("ListId"))
  .annotate({ identifier: "ListId", description: "Id of a contact list" })
export type ListId = typeof ListId.Type
export const ExportId = uuid
  .pipe(Schema.brand("ExportId"))
  .annotate({ identifier: "ExportId", description: "Id of an export of a contact list or of a blast's recipients" })
export type ExportId = typeof ExportId.Type
export const ImportSessionId = uuid
  .pipe(Schema.brand("ImportSessionId"))
  .annotate({ identifier: "ImportSessionId", description: "Id of an import session" })
export type ImportSessionId = typeof ImportSessionId.Type
export const ImportRunId = uuid
  .pipe(Schema.brand("ImportRunId"))
  .annotate({ identifier: "ImportRunId", description: "Id of an import run" })
export type ImportRunId = typeof ImportRunId.Type
export const EmailId = uuid
  .pipe(Schema.brand("EmailId"))
  .annotate({ identifier: "EmailId", description: "Id of an email" })
export type EmailId = typeof EmailId.Type
export const EmailTemplateId = uuid
  .pipe(Schema.brand("EmailTemplateId"))
  .annotate({ identifier: "EmailTemplateId", description: "Id of an email template" })
export type EmailTemplateId = typeof EmailTemplateId.Type
export const TentTemplateId = uuid
  .pipe(Schema.brand("TentTemplateId"))
  .annotate({ identifier: "TentTemplateId", description: "Id of a tent template" })
export type TentTemplateId = typeof TentTemplateId.Type
export const GenerationId = uuid
  .pipe(Schema.brand("GenerationId"))
  .annotate({ identifier: "GenerationId", description: "Id of an AI generation" })
export type GenerationId = typeof GenerationId.Type
export const TestMailId = uuid
  .pipe(Schema.brand("TestMailId"))
  .annotate({ identifier: "TestMailId", description: "Id of one test message of an email" })
export type TestMailId = typeof TestMailId.Type
/** Identifies one approved copy. A blast sends it, whatever happens to the email later. */
export const ApprovalId = uuid
  .pipe(Schema.brand("ApprovalId"))
  .annotate({ identifier: "ApprovalId", description: "Id of an email's approval" })
export type ApprovalId = typeof ApprovalId.Type
export const BlastId = uuid
  .pipe(Schema.brand("BlastId"))
  .annotate({ identifier: "BlastId", description: "Id of an email blast" })
export type BlastId = typeof BlastId.Type
export const DeliveryId = uuid
  .pipe(Schema.brand("DeliveryId"))
  .annotate({ identifier: "DeliveryId", description: "Id of a message to one recipient" })
export type DeliveryId = typeof DeliveryId.Type
export const TentId = uuid.pipe(Schema.brand("TentId")).annotate({ identifier: "TentId", description: "Id of a tent" })
export type TentId = typeof TentId.Type
export const AssetId = uuid
  .pipe(Schema.brand("AssetId"))
  .annotate({ identifier: "AssetId", description: "Id of a file that was uploaded to a tent" })
export type AssetId = typeof AssetId.Type
export const BulkJobId = uuid
  .pipe(Schema.brand("BulkJobId"))
  .annotate({ identifier: "BulkJobId", description: "Id of a bulk creation of tents" })
export type BulkJobId = typeof BulkJobId.Type
export const SubmissionId = uuid
  .pipe(Schema.brand("SubmissionId"))
  .annotate({ identifier: "SubmissionId", description: "Id of a form submission" })
export type SubmissionId = typeof SubmissionId.Type
export const FlowId = uuid
  .pipe(Schema.brand("FlowId"))
  .annotate({ identifier: "FlowId", description: "Id of a triggered flow" })
export type FlowId = typeof FlowId.Type
export const MembershipId = uuid
  .pipe(Schema.brand("MembershipId"))
  .annotate({ identifier: "MembershipId", description: "Id of a flow membership" })
export type MembershipId = typeof MembershipId.Type

export const PageDomainId = uuid
  .pipe(Schema.brand("PageDomainId"))
  .annotate({ identifier: "PageDomainId", description: "Id of a page domain" })
export type PageDomainId = typeof PageDomainId.Type
export const AuditEntryId = uuid
  .pipe(Schema.brand("AuditEntryId"))
  .annotate({ identifier: "AuditEntryId", description: "Id of an entry of the audit log" })
export type AuditEntryId = typeof AuditEntryId.Type

/** Creates ids. */
export class Ids extends Context.Service<
  Ids,
  {
    /** A UUID v7: ids of one process sort by creation time. */
    readonly next: Effect.Effect<string>
    /** `count` ids at once. */
    readonly many: (count: number) => Effect.Effect<ReadonlyArray<string>>
    /** A UUID v4, for public addresses: it does not reveal its creation time. */
    readonly random: Effect.Effect<string>
  }
>()("tentpole/Ids") {}
