// A form that was sent: what was said, by whom, and what follows from it for the contact and for those who wait for it.
import { type DateTime, Result } from "effect"
import type { Activity } from "../contacts/Activity.ts"
import type { BatchFacts } from "../contacts/batch/Batch.ts"
import { decideUpserts } from "../contacts/batch/BatchUpserts.ts"
import type { ContactPatch } from "../contacts/ContactPatch.ts"
import type { ContactsChange } from "../contacts/ContactsChange.ts"
import type { ContactId, SubmissionId, TentId } from "../kernel/Ids.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { Answers } from "./Answers.ts"
import type { Form } from "./Form.ts"

export interface Submission {
  readonly id: SubmissionId
  readonly tentId: TentId
  readonly formId: string
  readonly fields: Answers
  /** Null: they left neither email nor phone, or the contact is gone. */
  readonly contactId: ContactId | null
  readonly createdAt: DateTime.Utc
}

interface Sending {
  readonly id: SubmissionId
  readonly form: Form
  readonly answers: Answers
  /** Null: nobody to be known by it. */
  readonly visitor: ContactPatch | null
}

export type SubmissionChange = Change<
  "submission",
  {
    readonly submission: Submission
    readonly contacts: ContactsChange
    /** A line of the contact's timeline; none where there is no contact. */
    readonly activities: ReadonlyArray<Activity>
  }
>

const submissionChange = changeOf("submission")

export const SubmissionChange = {
  /**
   * Anybody can write anybody's address into a form. So it fills what is empty and overwrites nothing, an opt-out stays, and
   * where email and phone belong to two people it is about the email's.
   *
   * @throws when the visitor is refused: one who can be known is not.
   */
  receive({ id, form, answers, visitor }: Sending, facts: BatchFacts): SubmissionChange {
    const items = visitor === null ? [] : [{ clientItemId: null, patch: Result.succeed(visitor) }]
    const { change, results } = decideUpserts(items, facts, {
      source: "form",
      match: "email_or_phone",
      splitIdentity: "email_wins",
      duplicates: "update",
      skipIfFilled: "all",
    })
    const [result] = results
    if (result?.status === "rejected")
      throw new Error(`a visitor with email or phone is somebody: ${result.refusal.message}`)
    const contactId = result?.contact.id ?? null
    const { tentId, formId } = form
    const told = { tent_id: tentId, form_id: formId, submission_id: id, fields: answers }
    const at = facts.now
    return submissionChange(
      {
        submission: { id, tentId, formId, fields: answers, contactId, createdAt: at },
        contacts: change,
        activities: contactId === null ? [] : [{ contactId, type: "form_submission", at, metadata: told }],
      },
      { events: [{ type: "form_submission", contactId, at, data: told }] },
    )
  },
}
