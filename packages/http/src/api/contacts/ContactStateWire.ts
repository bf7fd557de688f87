// Wire schemas of what a contact is in, and of what keeps mail from it.
import { suppressionReasons } from "@tentpole/core/sending/Suppression"
import { blockReasons } from "@tentpole/core/sending/Delivery"
import type { MailObstacle } from "@tentpole/core/sending/recipients/Mailability"
import type { ContactMembership } from "@tentpole/core/flows/members/MembershipStore"
import { ListId, TopicId } from "@tentpole/core/kernel/Ids"
import { contact_lists_max, type ListOfContact } from "@tentpole/core/lists/Lists"
import { link_hours_default, link_hours_max } from "@tentpole/core/tracking/PreferenceLink"
import { type DateTime, Schema } from "effect"
import { InstantWire, iso, isoOrNull, listing, oneOf } from "../../Wire.ts"
import { FlowMemberWire, toFlowMemberWire } from "../flows/FlowMemberWire.ts"

const ContactListOfWire = Schema.Struct({
  list_id: ListId,
  name: Schema.String,
  kind: Schema.Literals(["static", "dynamic"]),
  added_at: Schema.NullOr(InstantWire).annotate({ description: "null for dynamic lists" }),
}).annotate({ identifier: "ListOfContact" })

export const ListsOfContactWire = Schema.Struct({
  lists: Schema.Array(ContactListOfWire).annotate({
    description: `At most ${contact_lists_max.toLocaleString("en")} static lists, then as many dynamic ones`,
  }),
}).annotate({ identifier: "ListsOfContact" })

export const toListsOfContact = (lists: ReadonlyArray<ListOfContact>): typeof ListsOfContactWire.Type => ({
  lists: lists.map(({ addedAt, list }) => ({
    list_id: list.id,
    name: list.name,
    kind: list.kind === "dynamic" ? "dynamic" : "static",
    added_at: isoOrNull(addedAt),
  })),
})

const ContactMembershipWire = Schema.Struct({ ...FlowMemberWire.fields, flow_name: Schema.String }).annotate({
  identifier: "ContactMembership",
})

export const MembershipsAnswer = listing({ memberships: Schema.Array(ContactMembershipWire) })

export const toContactMembership = ({ flowName, ...member }: ContactMembership): typeof ContactMembershipWire.Type => ({
  ...toFlowMemberWire(member),
  flow_name: flowName,
})

export const MailableQuery = {
  operational: Schema.optionalKey(oneOf("true", "false")).annotate({
    description: "Whether mail is meant that the contact needs. Default: false",
  }),
  topic_id: Schema.optionalKey(TopicId).annotate({ description: "Of which topic the mail is. Default: all marketing" }),
}

const ObstacleWire = Schema.Struct({
  reason: Schema.Literals(blockReasons),
  since: Schema.NullOr(InstantWire).annotate({ description: "null if it is not recorded" }),
  source: Schema.Literals(["contact", "topic", ...suppressionReasons]).annotate({
    description:
      "`contact`: a field of the contact. `topic`: what is recorded for the topic, or its default. Otherwise the reason of the suppression of its address",
  }),
  topic_id: Schema.NullOr(TopicId).annotate({ description: "The topic, with the source `topic`" }),
}).annotate({ identifier: "MailObstacle" })

export const MailableWire = Schema.Struct({
  mailable: Schema.Boolean,
  reasons: Schema.Array(ObstacleWire).annotate({ description: "The first one is the reason that a blast records" }),
}).annotate({ identifier: "Mailable" })

export const toMailable = (obstacles: ReadonlyArray<MailObstacle>): typeof MailableWire.Type => ({
  mailable: obstacles.length === 0,
  reasons: obstacles.map(({ reason, since, source, topicId }) => ({
    reason,
    since: isoOrNull(since),
    source,
    topic_id: topicId,
  })),
})

export const PreferencesLinkBody = Schema.Struct({
  expires_in_hours: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: link_hours_max })),
  ).annotate({
    description: `1 to ${link_hours_max}; ${link_hours_default} by default`,
  }),
}).annotate({ identifier: "CreatePreferencesLink" })

export const PreferencesLinkWire = Schema.Struct({ url: Schema.String, expires_at: InstantWire }).annotate({
  identifier: "PreferencesLink",
})

export const toPreferencesLink = ({
  expiresAt,
  url,
}: {
  readonly url: string
  readonly expiresAt: DateTime.Utc
}): typeof PreferencesLinkWire.Type => ({ url, expires_at: iso(expiresAt) })
