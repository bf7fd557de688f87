// Wire schemas of the merge of two contacts.
import { mergeSides } from "@tentpole/core/contacts/Merge"
import { ContactId, FlowId } from "@tentpole/core/kernel/Ids"
import type { MergeRequest, MergeResult } from "@tentpole/core/operations/merge/ContactMerges"
import { Schema } from "effect"
import { oneOf, toSnakeCase } from "../../Wire.ts"
import { ContactWire, toContactWire } from "./ContactWire.ts"

const Side = oneOf(...mergeSides)

export const MergeBody = Schema.Struct({
  source_contact_id: ContactId.annotate({ description: "The contact to merge into the one in the path. Its id ends" }),
  prefer: Schema.optionalKey(Side).annotate({
    description: "The contact whose values stay; empty ones are filled from the other one. Default: `target`",
  }),
  fields: Schema.optionalKey(Schema.Record(Schema.String, Side)).annotate({
    description:
      "Fields that prefer another contact than `prefer`, by name; custom fields are `custom_fields.<api_name>`. Opt-outs can't be chosen: the stricter one stays",
    examples: [{ city: "source" }],
  }),
  dry_run: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Returns the result, and writes nothing. Default: `false`",
  }),
}).annotate({ identifier: "ContactMerge" })

const count = (description: string) => Schema.Int.annotate({ description })

export const MergedContactWire = Schema.Struct({
  ...ContactWire.fields,
  merged: Schema.Struct({
    source_contact_id: ContactId,
    activities: count("Activities of the source that are now the contact's"),
    lists: count("Static lists that the contact has joined"),
    messages: count("Messages to the source that are now the contact's, without those of blasts that were for both"),
    submissions: count("Form submissions of the source that are now the contact's"),
    consent_records: count("Consent records of the source that are now the contact's"),
    dropped_memberships: Schema.Array(FlowId).annotate({
      description: "The flows in which both were: the membership of the source ended",
    }),
  }).annotate({ identifier: "MergedParts" }),
}).annotate({ identifier: "MergedContact" })

export const toMergeRequest = ({
  dry_run = false,
  fields = {},
  prefer = "target",
  source_contact_id,
}: typeof MergeBody.Type): MergeRequest => ({ source: source_contact_id, prefer, fields, dryRun: dry_run })

export const toMergedContact = ({
  counts,
  droppedMemberships,
  shown,
  source,
}: MergeResult): typeof MergedContactWire.Type => ({
  ...toContactWire(shown),
  merged: { source_contact_id: source, ...toSnakeCase(counts), dropped_memberships: droppedMemberships },
})
