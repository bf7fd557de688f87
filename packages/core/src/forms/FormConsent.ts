// The consent of a form: which topics its visitors subscribe to, and what they tick for it. The API sets it, or the HTML says it.
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { TentId, TopicId } from "../kernel/Ids.ts"
import type { Topic } from "../topics/Topic.ts"
import type { Answers } from "./Answers.ts"
import type { Form } from "./Form.ts"

/** What the API has set. It wins over the HTML. */
export interface FormConsent {
  readonly topicIds: ReadonlyArray<TopicId>
  /** The name of a check box. Null: sending the form is consent. */
  readonly consentField: string | null
  /** Whether visitors confirm by mail; null: as each topic says. */
  readonly doubleOptIn: boolean | null
}

export type FormConsentChange = Change<
  "form_consent",
  {
    readonly tentId: TentId
    readonly formId: string
    /** Null: nothing is set any more. */
    readonly after: FormConsent | null
  }
>

const formConsentChange = changeOf("form_consent")

export const FormConsentChange = {
  set: (form: Pick<Form, "tentId" | "formId">, after: FormConsent | null): FormConsentChange =>
    formConsentChange(
      { tentId: form.tentId, formId: form.formId, after },
      { audit: [{ action: "form.consent_changed", target: form.tentId, details: { form_id: form.formId } }] },
    ),
}

/** The consent in force: what the API has set, else what the HTML says, with the topics that visitors can subscribe to. */
export const consentOf = (
  form: Pick<Form, "consent">,
  set: FormConsent | null,
  topics: ReadonlyArray<Pick<Topic, "id" | "slug" | "status">>,
): (FormConsent & { readonly setBy: "api" | "page" }) | null => {
  const active = topics.filter(({ status }) => status === "active")
  if (set !== null) {
    const topicIds = set.topicIds.filter((id) => active.some((topic) => topic.id === id))
    return { ...set, topicIds, setBy: "api" }
  }
  const { consent } = form
  if (consent === null) return null
  const topicIds = active.filter(({ slug }) => consent.topics.includes(slug)).map(({ id }) => id)
  return { topicIds, consentField: consent.field, doubleOptIn: null, setBy: "page" }
}

/** What visitors agree to, as the page shows it. Null: the form has no such check box any more, and no visitor can agree. */
export const consentText = (
  form: Pick<Form, "checkboxes" | "text">,
  { consentField }: Pick<FormConsent, "consentField">,
): string | null => (consentField === null ? form.text : (form.checkboxes.get(consentField) ?? null))

/** What the visitor agreed to, as the page showed it; null: they did not. A check box that is not ticked is not sent. */
export const agreedText = (
  form: Pick<Form, "checkboxes" | "text">,
  { consentField }: Pick<FormConsent, "consentField">,
  answers: Answers,
): string | null => {
  const text = consentText(form, { consentField })
  if (consentField === null || text === null) return text
  return Object.hasOwn(answers, consentField) && answers[consentField] !== "" ? text : null
}
