// The change of contacts: creates, updates and deletes of any number of contacts, with their timelines and events.
import type { DateTime } from "effect"
import type { ContactId } from "../kernel/Ids.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import type { Activity } from "./Activity.ts"
import type { Contact } from "./Contact.ts"
import { differences } from "./ContactPatch.ts"
import { mergeMetadata, type MergePair } from "./Merge.ts"

/** One operation: `before` null creates, `after` null deletes. A contact's step begins where its last one ended. */
export type ContactStep =
  | {
      readonly before: Contact | null
      readonly after: Contact
      readonly at: DateTime.Utc
      /** The step sets `unsubscribed` to false explicitly, so that a suppression for an unsubscription ends. */
      readonly resubscribes?: boolean
    }
  | {
      readonly before: Contact
      readonly after: null
      readonly at: DateTime.Utc
      /** All other data of the contact is deleted, too. */
      readonly erased?: true
    }

export interface ContactUpdate {
  readonly before: Contact
  readonly after: Contact
}

export interface ContactDeletion {
  readonly before: Contact
  readonly at: DateTime.Utc
  /** The contact that takes over what the deleted one has; absent: it is deleted. */
  readonly mergedInto?: ContactId
}

export type ContactsChange = Change<
  "contacts",
  {
    /** Contacts to insert, in their state after the last step. */
    readonly creates: ReadonlyArray<Contact>
    /** Contacts to overwrite, from before the first step to after the last. Contacts that no step changed are absent. */
    readonly updates: ReadonlyArray<ContactUpdate>
    /** Contacts to delete, in their state before the first step. Contacts created and deleted by this change are absent. */
    readonly deletes: ReadonlyArray<ContactDeletion>
    /** One for each step that changed something, in order. A deleted contact has none: its timeline is deleted. */
    readonly activities: ReadonlyArray<Activity>
    /** Normalised addresses whose suppression for an unsubscription ends. */
    readonly resubscribed: ReadonlyArray<string>
  }
>

const contactsChange = changeOf("contacts")

export const ContactsChange = {
  /**
   * The change that the steps add up to. Contacts come from `newContact` and `patchContact`.
   *
   * @throws when a step does not begin where the contact's previous step ended, or leaves a contact without email and phone:
   * a defect of the caller, not wrong input.
   */
  of(steps: ReadonlyArray<ContactStep>): ContactsChange {
    const first = new Map<ContactId, Contact | null>()
    const last = new Map<ContactId, ContactStep>()
    const activities: Array<Activity> = []
    const events: Array<DomainEvent> = []
    const resubscribed: Array<string> = []
    for (const step of steps) {
      const id = step.after === null ? step.before.id : step.after.id
      checkStep(step, last.get(id)?.after)
      if (!last.has(id)) first.set(id, step.before)
      last.set(id, step)
      if (step.after === null) {
        events.push({ type: "contact_deleted", contactId: id, at: step.at, data: step.erased ? { erased: true } : {} })
        continue
      }
      const activity = activityOf(step.before, step.after, step.at)
      if (activity !== null) {
        const { metadata: data, ...event } = activity
        activities.push(activity)
        events.push({ ...event, data })
      }
      if (step.resubscribes === true && step.after.emailNormalized !== null) {
        resubscribed.push(step.after.emailNormalized)
      }
    }
    const left = activities.filter(({ contactId }) => last.get(contactId)?.after !== null)
    return contactsChange({ ...sumOf(first, last), activities: left, resubscribed }, { events })
  },

  /** The target becomes `after` (`mergedContact`), and takes over what the source has. Decide it on both contacts, locked. */
  merge({ source, target }: MergePair<Contact>, after: Contact, at: DateTime.Utc): ContactsChange {
    const contactId = target.id
    const metadata = mergeMetadata({ source, target }, after)
    const { changes, merged_contact_id } = metadata
    return contactsChange(
      {
        creates: [],
        updates: changes.length === 0 ? [] : [{ before: target, after }],
        deletes: [{ before: source, at, mergedInto: contactId }],
        activities: [{ contactId, type: "contact_merged", at, metadata }],
        resubscribed: [],
      },
      {
        events: [
          { type: "contact_merged", contactId, at, data: { merged_contact_id } },
          ...(changes.length === 0 ? [] : [{ type: "contact_updated", contactId, at, data: { changes } }]),
        ],
        audit: [{ action: "contact.merged", target: contactId, details: { merged_contact_id } }],
      },
    )
  },
}

/** The rows to write, one for each contact. */
const sumOf = (
  first: ReadonlyMap<ContactId, Contact | null>,
  last: ReadonlyMap<ContactId, ContactStep>,
): Pick<ContactsChange, "creates" | "updates" | "deletes"> => {
  const creates: Array<Contact> = []
  const updates: Array<ContactUpdate> = []
  const deletes: Array<ContactDeletion> = []
  for (const [id, { after, at }] of last) {
    const before = first.get(id) ?? null
    if (after === null) {
      if (before !== null) deletes.push({ before, at })
    } else if (before === null) creates.push(after)
    else if (before !== after) updates.push({ before, after })
  }
  return { creates, updates, deletes }
}

const checkStep = ({ before, after }: ContactStep, previous: Contact | null | undefined): void => {
  if (previous === null) throw new Error("a deleted contact takes no further step")
  if (previous !== undefined && previous !== before) throw new Error("a step must begin where the last one ended")
  if (after === null) return
  if (before !== null && before.id !== after.id) throw new Error("a step must keep the contact's id")
  if (after.email === null && after.phone === null) throw new Error("a contact must keep an email or a phone")
}

const activityOf = (before: Contact | null, after: Contact, at: DateTime.Utc): Activity | null => {
  if (before === null) {
    const metadata = { original_source: after.originalSource }
    return { contactId: after.id, type: "contact_created", at, metadata }
  }
  const changes = differences(before, after)
  return changes.length === 0 ? null : { contactId: after.id, type: "contact_updated", at, metadata: { changes } }
}
