// What the screens show of a membership.
import type { FlowMembership } from "@tentpole/client"

/** The name of the contact, else an address. `deleted` names a contact that was deleted. */
export const memberName = ({ contact }: Pick<FlowMembership, "contact">, deleted: string): string =>
  contact === null ? deleted : (contact.display_name ?? contact.email ?? contact.phone ?? contact.contact_id)

export const isPresent = ({ status }: Pick<FlowMembership, "status">): boolean =>
  status === "active" || status === "waiting"
