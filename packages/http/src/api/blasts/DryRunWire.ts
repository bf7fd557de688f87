// A dry run as the wire has it.
import type { DryRun } from "@tentpole/core/blasts/inspection/DryRun"
import { blockReasons } from "@tentpole/core/sending/Delivery"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"

export const DryRunWire = Schema.Struct({
  recipient_count: Schema.Int.annotate({ description: "Whom the audience holds" }),
  qualified_count: Schema.Int.annotate({ description: "Of those, who would be sent to" }),
  blocked: Schema.Array(
    Schema.Struct({
      reason: Schema.Literals(blockReasons),
      count: Schema.Int,
      sample: Schema.Array(Schema.Struct({ contact_id: ContactId, email: Schema.NullOr(Schema.String) })),
    }),
  ),
  domains: Schema.Array(Schema.Struct({ domain: Schema.String, count: Schema.Int })).annotate({
    description: "Of the qualified: the twenty domains with the most of them",
  }),
  unresolved_tokens: Schema.Array(Schema.Struct({ token: Schema.String, contact_count: Schema.Int })).annotate({
    description: "Tokens without a fallback that stand empty, by how many of the qualified have no value",
  }),
  estimated_seconds: Schema.Int.annotate({
    description:
      "From the workspace's limits of sending; without any, one worker's connections at ten messages a second each",
  }),
  samples: Schema.Array(
    Schema.Struct({
      contact_id: ContactId,
      subject: Schema.String,
      html: Schema.String,
      text: Schema.String,
    }),
  ).annotate({ description: "The messages of up to three of the qualified, untracked; their links lead nowhere" }),
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
