// What is to be written of a workspace's contacts: any number of them made and altered, with their timeline and events.
import type { DateTime } from "effect"
import type { DomainEvent } from "../Outbox.ts"
import type { Activity } from "./Activity.ts"
import type { Contact } from "./Contact.ts"
import { differences } from "./ContactPatch.ts"

/** One thing done to one contact. `before` is null for a new one; each step begins where the contact's last one ended. */
export interface ContactStep {
  readonly before: Contact | null
  readonly after: Contact
  readonly at: DateTime.Utc
  /** Says that the person is subscribed, also where nothing else said otherwise. */
  readonly resubscribes?: boolean
}

export interface ContactUpdate {
  readonly before: Contact
  readonly after: Contact
}

export class ContactsChange {
  readonly #brand = true
  /** Contacts to insert, each as it is after the last step. */
  readonly creates: ReadonlyArray<Contact>
  /** Contacts to write over, each from before its first step to after its last; those that no step altered aren't here. */
  readonly updates: ReadonlyArray<ContactUpdate>
  /** A line for each step that changed something, in order. */
  readonly activities: ReadonlyArray<Activity>
  readonly events: ReadonlyArray<DomainEvent>
  /** Normalised addresses that are suppressed no longer, if it was for an unsubscription. */
  readonly resubscribed: ReadonlyArray<string>

  private constructor(it: Pick<ContactsChange, "creates" | "updates" | "activities" | "events" | "resubscribed">) {
    this.creates = it.creates
    this.updates = it.updates
    this.activities = it.activities
    this.events = it.events
    this.resubscribed = it.resubscribed
  }

  static is(it: unknown): it is ContactsChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  /**
   * The change that steps add up to. Contacts come from `newContact` and `patchContact`.
   *
   * @throws when a step does not begin where the contact's last one ended, or leaves somebody without email and phone:
   * a mistake of the decision, not of its input.
   */
  static of(steps: ReadonlyArray<ContactStep>): ContactsChange {
    const first = new Map<string, Contact | null>()
    const last = new Map<string, Contact>()
    const activities: Array<Activity> = []
    for (const step of steps) {
      checkStep(step, last.get(step.after.id))
      if (!last.has(step.after.id)) first.set(step.after.id, step.before)
      last.set(step.after.id, step.after)
      const activity = activityOf(step)
      if (activity !== null) activities.push(activity)
    }
    const creates: Array<Contact> = []
    const updates: Array<ContactUpdate> = []
    for (const [id, after] of last) {
      const before = first.get(id) ?? null
      if (before === null) creates.push(after)
      else if (before !== after) updates.push({ before, after })
    }
    const resubscribed = steps.flatMap(({ after, resubscribes }) =>
      resubscribes === true && after.emailNormalized !== null ? [after.emailNormalized] : [],
    )
    return new ContactsChange({ creates, updates, activities, events: activities.map(eventOf), resubscribed })
  }
}

const checkStep = ({ before, after }: ContactStep, previous: Contact | undefined): void => {
  if (previous !== undefined && previous !== before) throw new Error("a step must begin where the last one ended")
  if (before !== null && before.id !== after.id) throw new Error("a step must keep the contact's id")
  if (after.email === null && after.phone === null) throw new Error("a contact must keep an email or a phone")
}

const activityOf = ({ before, after, at }: ContactStep): Activity | null => {
  if (before === null) {
    const metadata = { original_source: after.originalSource }
    return { contactId: after.id, type: "contact_created", at, metadata }
  }
  const changes = differences(before, after)
  return changes.length === 0 ? null : { contactId: after.id, type: "contact_updated", at, metadata: { changes } }
}

const eventOf = ({ type, contactId, at, metadata }: Activity): DomainEvent => ({ type, contactId, at, data: metadata })
