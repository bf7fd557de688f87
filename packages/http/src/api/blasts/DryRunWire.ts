// Wire schema of a dry run.
import type { DryRun } from "@tentpole/core/blasts/inspection/DryRun"
import { blockReasons } from "@tentpole/core/sending/Delivery"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"

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
  blocked: run.blocked.map(({ reason, count, sample }) => ({
    reason,
    count,
    sample: sample.map(({ contactId, email }) => ({ contact_id: contactId, email })),
  })),
  domains: run.domains,
  unresolved_tokens: run.unresolvedTokens.map(({ token, contactCount }) => ({ token, contact_count: contactCount })),
  estimated_seconds: run.estimated_s,
  samples: run.samples.map(({ contactId, subject, html, text }) => ({ contact_id: contactId, subject, html, text })),
})
