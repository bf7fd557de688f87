// Wire schemas of blasts, their recipients and dry runs.
import type { BlastRecipient, BlastView } from "@tentpole/core/blasts/BlastStore"
import { blastStatuses, cancelReasons, countsOf, launchOf, lockedOf, timeOf } from "@tentpole/core/blasts/Blast"
import { type Audit, auditChecks } from "@tentpole/core/blasts/inspection/BlastAudit"
import type { DryRun } from "@tentpole/core/blasts/inspection/DryRuns"
import { missingParts, readinessWarnings } from "@tentpole/core/blasts/Readiness"
import { blockReasons, deliveryStates, failureReasons } from "@tentpole/core/sending/Delivery"
import { headerNames } from "@tentpole/core/documents/EmailFields"
import { renamed } from "@tentpole/core/kernel/Keys"
import { BlastId, ContactId, DeliveryId, EmailId, ListId, TopicId } from "@tentpole/core/kernel/Ids"
import { listKinds } from "@tentpole/core/lists/List"
import { Schema, Struct } from "effect"
import { InstantWire, iso, isoOrNull, PaginationWire, toSnakeCase } from "../../Wire.ts"

const Source = Schema.Literals(["existing", "inline"]).annotate({
  description: "`inline`: created for this blast",
})

const AudienceWire = Schema.Struct({
  list_id: ListId,
  source: Source,
  name: Schema.String,
  kind: Schema.Literals(listKinds),
  member_count: Schema.NullOr(Schema.Int).annotate({ description: "Static lists only" }),
}).annotate({ identifier: "BlastAudience", description: "Current state of the list" })

const EmailOfBlastWire = Schema.Struct({
  email_id: EmailId,
  source: Source,
  name: Schema.String,
  status: Schema.Literals(["draft", "approved"]),
  subject: Schema.NullOr(Schema.String),
  current_version: Schema.Int,
  approved_version: Schema.NullOr(Schema.Int),
  changed_since_approval: Schema.Array(Schema.Literals(Object.values(headerNames))).annotate({
    description: "Fields of the email that differ from what this blast sends: its approval",
  }),
}).annotate({ identifier: "BlastEmail", description: "Current state of the email" })

const text = Schema.NullOr(Schema.String)

const HeaderWire = Schema.Struct({
  subject: text,
  preview_text: text,
  from_name: text,
  from_address: text,
  reply_to_email: text,
}).annotate({
  identifier: "BlastHeader",
  description: "What recipients get, or got: the subject, preview text and sender of the approval",
})

const DetailsWire = Schema.Struct({
  blast_recipient_count: Schema.Int.annotate({ description: "Contacts in the audience when sending began" }),
  blast_qualified_count: Schema.Int.annotate({ description: "Recipients that were not suppressed" }),
  blast_sent_count: Schema.Int,
  blast_failed_count: Schema.Int,
  blast_blocked_count: Schema.Int,
  blast_audience_truncated: Schema.Boolean,
  blast_delivered_count: Schema.Int,
  blast_opened_count: Schema.Int,
  blast_clicked_count: Schema.Int,
  blast_bounced_count: Schema.Int,
  blast_spam_count: Schema.Int,
  blast_unsubscribed_count: Schema.Int,
}).annotate({ identifier: "BlastDetails", description: "Counts of recipients, not of events" })

const ReadinessWire = Schema.Struct({
  ready: Schema.Boolean.annotate({ description: "True if nothing is missing except `schedule`" }),
  missing: Schema.Array(Schema.Literals(missingParts)),
  warnings: Schema.Array(Schema.Literals(readinessWarnings)),
}).annotate({ identifier: "ApprovalReadiness" })

export const BlastWire = Schema.Struct({
  blast_id: BlastId,
  type: Schema.Literal("email_blast"),
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  status: Schema.Literals(blastStatuses),
  paused: Schema.Boolean.annotate({ description: "True if sending is paused; the status stays `sending`" }),
  audience_list_id: Schema.NullOr(ListId),
  audience_source: Schema.NullOr(Source),
  audience: Schema.NullOr(AudienceWire),
  email_id: Schema.NullOr(EmailId),
  email_source: Schema.NullOr(Source),
  email: Schema.NullOr(EmailOfBlastWire),
  approved_header: Schema.NullOr(HeaderWire),
  operational: Schema.Boolean.annotate({ description: "True if it is sent as transactional mail" }),
  topic_id: Schema.NullOr(TopicId).annotate({
    description: "Sent to subscribers of the topic only; null: all marketing. Operational mail ignores it",
  }),
  scheduled_at: Schema.NullOr(InstantWire),
  approved_at: Schema.NullOr(InstantWire),
  approved_email_version: Schema.NullOr(Schema.Int).annotate({ description: "The version that is sent" }),
  sent_at: Schema.NullOr(InstantWire),
  send_mode: Schema.NullOr(Schema.Literals(["scheduled", "send_now"])),
  details: DetailsWire,
  queued_count: Schema.Int.annotate({ description: "Recipients whose message has not ended" }),
  deferred_count: Schema.Int.annotate({
    description:
      "Those of `queued_count` whose last attempt failed for a temporary reason. If the two are equal, only refused recipients remain: they are tried again",
  }),
  next_attempt_at: Schema.NullOr(InstantWire).annotate({
    description: "When the next deferred recipient is tried again",
  }),
  messages_per_second: Schema.NullOr(Schema.Finite).annotate({
    description: "Over the last minute. null unless the status is `sending`",
  }),
  estimated_end_at: Schema.NullOr(InstantWire).annotate({
    description: "When the last message will have been sent. null if it can't be estimated",
  }),
  approval_readiness: Schema.optionalKey(ReadinessWire).annotate({ description: "Drafts only. Not in listings" }),
  cancelled_at: Schema.NullOr(InstantWire),
  cancelled_reason: Schema.NullOr(Schema.Literals(cancelReasons)).annotate({
    description: "null if a user cancelled it",
  }),
  failed_reason: Schema.NullOr(Schema.String).annotate({ description: "Why the blast as a whole failed" }),
  created_at: InstantWire,
  updated_at: InstantWire,
}).annotate({ identifier: "Blast" })

const audienceOf = ({ blast, list }: BlastView): typeof AudienceWire.Type | null =>
  list === null || blast.audience === null
    ? null
    : {
        source: blast.audience.source,
        ...toSnakeCase(Struct.pick(list, ["listId", "name", "kind", "memberCount"])),
      }

const emailOf = ({ blast, email, changedSinceApproval }: BlastView): typeof EmailOfBlastWire.Type | null =>
  email === null || blast.email === null
    ? null
    : {
        source: blast.email.source,
        ...toSnakeCase(Struct.pick(email, ["emailId", "name", "status", "subject", "currentVersion"])),
        approved_version: email.approval?.version ?? null,
        changed_since_approval: changedSinceApproval,
      }

const detailsOf = ({ blast, tally }: BlastView): typeof DetailsWire.Type => {
  const launch = launchOf(blast)
  const counts = countsOf(launch)
  return {
    blast_recipient_count: counts?.recipientCount ?? 0,
    blast_qualified_count: counts?.qualifiedCount ?? 0,
    blast_sent_count: tally.sent,
    blast_failed_count: tally.failed,
    blast_blocked_count: tally.blocked,
    blast_audience_truncated: launch?.audience?.truncated ?? false,
    blast_delivered_count: tally.delivered,
    blast_opened_count: tally.opened,
    blast_clicked_count: tally.clicked,
    blast_bounced_count: tally.bounced,
    blast_spam_count: tally.complained,
    blast_unsubscribed_count: tally.unsubscribed,
  }
}

export const toBlastWire = (shown: BlastView): typeof BlastWire.Type => {
  const { blast, readiness } = shown
  const time = timeOf(blast)
  const locked = lockedOf(blast)
  return {
    blast_id: blast.id,
    type: "email_blast",
    ...toSnakeCase(Struct.pick(blast, ["name", "description", "status", "operational", "topicId"])),
    ...toSnakeCase(Struct.pick(blast, ["createdAt", "updatedAt"])),
    paused: blast.status === "sending" && blast.paused,
    audience_list_id: blast.audience?.listId ?? null,
    audience_source: blast.audience?.source ?? null,
    audience: audienceOf(shown),
    email_id: blast.email?.emailId ?? null,
    email_source: blast.email?.source ?? null,
    email: emailOf(shown),
    approved_header: shown.approvedHeader === null ? null : renamed(shown.approvedHeader, headerNames),
    scheduled_at: time?.mode === "scheduled" ? iso(time.scheduledAt) : null,
    approved_at: isoOrNull(locked?.at ?? null),
    approved_email_version: locked?.version ?? null,
    sent_at: "sentAt" in blast ? isoOrNull(blast.sentAt) : null,
    send_mode: time?.mode ?? null,
    details: detailsOf(shown),
    queued_count: shown.tally.queued,
    deferred_count: shown.tally.deferred,
    next_attempt_at: isoOrNull(shown.pace.nextAttemptAt),
    messages_per_second: shown.pace.perSecond,
    estimated_end_at: isoOrNull(shown.pace.estimatedEndAt),
    ...(readiness === null ? {} : { approval_readiness: readiness }),
    cancelled_at: "cancelledAt" in blast ? isoOrNull(blast.cancelledAt) : null,
    cancelled_reason: "cancelledReason" in blast ? blast.cancelledReason : null,
    failed_reason: "failure" in blast ? blast.failure : null,
  }
}

export const BlastsWire = Schema.Struct({ blasts: Schema.Array(BlastWire), pagination: PaginationWire })

export const RecipientWire = Schema.Struct({
  recipient_id: DeliveryId,
  contact_id: ContactId,
  display_name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  contact_deleted: Schema.Boolean,
  status: Schema.Literals(["queued", "sent", "failed", "blocked"]),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why it failed or was blocked" }),
  sent_at: Schema.NullOr(InstantWire),
  delivered_at: Schema.NullOr(InstantWire),
  opened_at: Schema.NullOr(InstantWire),
  clicked_at: Schema.NullOr(InstantWire),
  clicked_url: Schema.NullOr(Schema.String),
  bounced_at: Schema.NullOr(InstantWire),
  unsubscribed_at: Schema.NullOr(InstantWire),
  complained_at: Schema.NullOr(InstantWire),
}).annotate({ identifier: "BlastRecipient" })

export const toRecipientWire = ({ id, ...recipient }: BlastRecipient): typeof RecipientWire.Type => ({
  recipient_id: id,
  ...toSnakeCase(
    Struct.pick(recipient, ["contactId", "displayName", "email", "contactDeleted", "status", "reason", "clickedUrl"]),
  ),
  ...toSnakeCase(Struct.pick(recipient, ["sentAt", "deliveredAt", "openedAt", "clickedAt"])),
  ...toSnakeCase(Struct.pick(recipient, ["bouncedAt", "unsubscribedAt", "complainedAt"])),
})

export const RecipientsWire = Schema.Struct({ contacts: Schema.Array(RecipientWire), pagination: PaginationWire })

export const DryRunWire = Schema.Struct({
  recipient_count: Schema.Int.annotate({ description: "Contacts in the audience" }),
  qualified_count: Schema.Int.annotate({ description: "Contacts that would get the message" }),
  blocked: Schema.Array(
    Schema.Struct({
      reason: Schema.Literals(blockReasons),
      count: Schema.Int,
      sample: Schema.Array(Schema.Struct({ contact_id: ContactId, email: Schema.NullOr(Schema.String) })),
    }),
  ),
  domains: Schema.Array(Schema.Struct({ domain: Schema.String, count: Schema.Int })).annotate({
    description: "The twenty most frequent domains of the qualified contacts",
  }),
  unresolved_tokens: Schema.Array(Schema.Struct({ token: Schema.String, contact_count: Schema.Int })).annotate({
    description: "Tokens without a fallback, with the number of qualified contacts that have no value",
  }),
  estimated_seconds: Schema.Int.annotate({
    description:
      "Computed from the workspace's sending limits. Without limits: from one worker's connections at ten messages per second each",
  }),
  samples: Schema.Array(
    Schema.Struct({
      contact_id: ContactId,
      subject: Schema.String,
      html: Schema.String,
      text: Schema.String,
    }),
  ).annotate({ description: "Messages to up to three qualified contacts, without tracking and with inactive links" }),
}).annotate({ identifier: "BlastDryRun" })

export const toDryRunWire = (run: DryRun): typeof DryRunWire.Type => ({
  recipient_count: run.recipientCount,
  qualified_count: run.qualifiedCount,
  blocked: run.blocked.map(({ sample, ...each }) => ({ ...each, sample: sample.map(toSnakeCase) })),
  domains: run.domains,
  unresolved_tokens: run.unresolvedTokens.map(toSnakeCase),
  estimated_seconds: run.estimated_s,
  samples: run.samples.map(toSnakeCase),
})

export const AuditWire = Schema.Struct({
  ok: Schema.Boolean.annotate({ description: "True if every check holds" }),
  checks: Schema.Array(
    Schema.Struct({
      name: Schema.Literals(auditChecks),
      check: Schema.String.annotate({ description: "The rule that is checked, as a sentence" }),
      ok: Schema.Boolean,
      says: Schema.String.annotate({ description: "The result, as a sentence" }),
      recipient_ids: Schema.Array(DeliveryId).annotate({ description: "The first ten recipients that it is about" }),
    }),
  ),
  recipients: Schema.Array(
    Schema.Struct({
      state: Schema.Literals(deliveryStates),
      reason: Schema.NullOr(Schema.Literals([...blockReasons, ...failureReasons])),
      count: Schema.Int,
    }),
  ).annotate({ description: "All recipients by outcome. Empty after an installation deleted them by age" }),
}).annotate({ identifier: "BlastAudit" })

export const toAuditWire = ({ holds, lines, recipients }: Audit): typeof AuditWire.Type => ({
  ok: holds,
  checks: lines.map(({ check, deliveries, holds: ok, name, result }) => ({
    name,
    check,
    ok,
    says: result,
    recipient_ids: deliveries,
  })),
  recipients,
})
