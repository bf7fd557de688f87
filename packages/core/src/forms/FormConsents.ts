// The use cases of consent on forms: what the forms of a page ask for, and settings that win over the HTML.
import { Context, Effect, Layer } from "effect"
import type { TentId, TopicId, WorkspaceId } from "../kernel/Ids.ts"
import { Invalid, NotFound } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { Parsers, type TooComplex } from "../ports/Parsers.ts"
import { TentStore } from "../tents/TentStore.ts"
import { TopicArchived } from "../topics/TopicErrors.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { type Form, formParser } from "./Form.ts"
import { consentOf, consentText, type FormConsent, FormConsentChange } from "./FormConsent.ts"
import { FormStore } from "./FormStore.ts"

export interface FormView extends Pick<Form, "formId" | "fields"> {
  /** Null: the form subscribes to nothing. */
  readonly consent: (NonNullable<ReturnType<typeof consentOf>> & { readonly text: string | null }) | null
}

export class FormConsents extends Context.Service<
  FormConsents,
  {
    /** The forms of the tent's present HTML, in their order. None while there is no HTML. */
    readonly list: (
      workspace: WorkspaceId,
      tent: TentId,
    ) => Effect.Effect<ReadonlyArray<FormView>, NotFound | TooComplex>
    /** Null: what the HTML says counts again. */
    readonly replace: (
      workspace: WorkspaceId,
      tent: TentId,
      formId: string,
      consent: FormConsent | null,
    ) => Effect.Effect<FormView, NotFound | Invalid | TopicArchived | TooComplex>
  }
>()("tentpole/FormConsents") {
  static readonly layer = Layer.effect(
    FormConsents,
    Effect.gen(function* () {
      const store = yield* FormStore
      const tents = yield* TentStore
      const topicStore = yield* TopicStore
      const parsers = yield* Parsers
      const { transact } = yield* Transactor

      const formsOf = Effect.fnUntraced(function* (workspace: WorkspaceId, tentId: TentId) {
        const html = yield* tents.content(workspace, tentId)
        return html === null ? new Map<string, Form>() : yield* parsers.run(formParser, { tentId, html }, workspace)
      })

      const viewsOf = Effect.fnUntraced(function* (workspace: WorkspaceId, tent: TentId, forms: ReadonlyArray<Form>) {
        const consents = yield* store.consents(workspace, tent)
        const topics = (yield* topicStore.list(workspace)).map(({ topic }) => topic)
        return forms.map((form): FormView => {
          const { fields, formId } = form
          const consent = consentOf(form, consents.get(formId) ?? null, topics)
          return { formId, fields, consent: consent && { ...consent, text: consentText(form, consent) } }
        })
      })

      const checkTopics = Effect.fnUntraced(function* (workspace: WorkspaceId, ids: ReadonlyArray<TopicId>) {
        const topics = yield* topicStore.many(workspace, ids)
        for (const [at, id] of ids.entries()) {
          const path = `topic_ids.${at}`
          const topic = topics.find((each) => each.id === id)
          if (topic === undefined) return yield* new NotFound({ resource: "topic", path })
          if (topic.status === "archived") return yield* new TopicArchived({ path })
        }
      })

      return FormConsents.of({
        list: Effect.fn("FormConsents.list")(function* (workspace, tent) {
          return yield* viewsOf(workspace, tent, [...(yield* formsOf(workspace, tent)).values()])
        }),

        replace: Effect.fn("FormConsents.replace")(function* (workspace, tent, formId, consent) {
          const form = (yield* formsOf(workspace, tent)).get(formId)
          if (form === undefined) return yield* new NotFound({ resource: "form" })
          if (consent !== null) {
            yield* checkTopics(workspace, consent.topicIds)
            const { consentField } = consent
            if (consentField !== null && !form.checkboxes.has(consentField)) {
              return yield* Invalid.at("consent_field", "must be the name of a check box of the form")
            }
          }
          yield* transact(store.applyConsent(workspace, FormConsentChange.set(form, consent)))
          const [view] = yield* viewsOf(workspace, tent, [form])
          return view ?? (yield* Effect.die("a form has no view"))
        }),
      })
    }),
  )
}
