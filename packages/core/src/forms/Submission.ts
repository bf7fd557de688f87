// A submission: the answers that a visitor sent by a form, and the resulting changes of the contact.
import { type DateTime, Result } from "effect"
import type { Activity } from "../contacts/Activity.ts"
import { type BatchFacts, decideUpserts } from "../contacts/batch/Batch.ts"
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
  /** Null: the visitor left neither email nor phone, or the contact is deleted. */
  readonly contactId: ContactId | null
  readonly createdAt: DateTime.Utc
}

interface SubmissionInput {
  readonly id: SubmissionId
  readonly form: Pick<Form, "tentId" | "formId">
  readonly answers: Answers
  /** Null: the visitor left neither email nor phone. */
  readonly visitor: ContactPatch | null
}

export type SubmissionChange = Change<
  "submission",
  {
    readonly submission: Submission
    readonly contacts: ContactsChange
    /** One entry for the contact's timeline; empty without a contact. */
    readonly activities: ReadonlyArray<Activity>
  }
>

const submissionChange = changeOf("submission")

export const SubmissionChange = {
  /**
   * A visitor can enter another person's address. So a submission fills empty fields and overwrites none, an opt-out stays,
   * and if email and phone belong to two contacts, the one with the email is updated.
   *
   * @throws when the visitor is refused, which is impossible with an email or phone.
   */
  receive({ id, form, answers, visitor }: SubmissionInput, facts: BatchFacts): SubmissionChange {
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
      throw new Error(`a visitor with an email or phone was refused: ${result.refusal.message}`)
    const contactId = result?.contact.id ?? null
    const { tentId, formId } = form
    const metadata = { tent_id: tentId, form_id: formId, submission_id: id, fields: answers }
    const at = facts.now
    return submissionChange(
      {
        submission: { id, tentId, formId, fields: answers, contactId, createdAt: at },
        contacts: change,
        activities: contactId === null ? [] : [{ contactId, type: "form_submission", at, metadata }],
      },
      { events: [{ type: "form_submission", contactId, at, data: metadata }] },
    )
  },
}
