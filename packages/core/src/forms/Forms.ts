// Use cases of forms on published pages: visitors submit them, and the workspace reads the submissions.
import { Context, DateTime, Effect, Layer, Result } from "effect"
import { identitiesOf } from "../contacts/batch/Batch.ts"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import { ContactStore, retryOnIdentityConflict } from "../contacts/ContactStore.ts"
import { fieldsByName } from "../contacts/batch/ContactItem.ts"
import { ContactId, Ids, SubmissionId, type WorkspaceId } from "../kernel/Ids.ts"
import type { Invalid, NotFound } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { type Answers, readAnswers, readVisitor, type SentFields, type TooMuchSent } from "./Answers.ts"
import type { Form } from "./Form.ts"
import { FormStore } from "./FormStore.ts"
import { SubmissionChange } from "./Submission.ts"

export class Forms extends Context.Service<
  Forms,
  {
    /** Fails when the page is not published any more. A bot's submission is dropped, with the same answer. */
    readonly submit: (
      workspace: WorkspaceId,
      form: Form,
      sent: SentFields,
    ) => Effect.Effect<void, NotFound | Invalid | TooMuchSent>
    readonly list: FormStore["Service"]["list"]
  }
>()("tentpole/Forms") {
  static readonly layer = Layer.effect(
    Forms,
    Effect.gen(function* () {
      const store = yield* FormStore
      const contacts = yield* ContactStore
      const fieldStore = yield* ContactFieldStore
      const workspaces = yield* WorkspaceStore
      const { transact } = yield* Transactor
      const ids = yield* Ids

      const receive = Effect.fnUntraced(
        function* (workspace: WorkspaceId, form: Form, answers: Answers) {
          const { defaultCountry } = yield* workspaces.get(workspace)
          const fields = fieldsByName(yield* fieldStore.list(workspace))
          const how = { values: "text", fields, defaultCountry, allowNotEditable: true } as const
          const visitor = yield* Effect.fromResult(readVisitor(answers, how))
          const named = visitor === null ? [] : [{ patch: Result.succeed(visitor) }]
          const existing = yield* contacts.lock(workspace, identitiesOf(named))
          yield* store.lockPublished(workspace, form.tentId)
          const [fresh = "", id = ""] = yield* ids.many(2)
          const facts = { existing, ids: [ContactId.make(fresh)], now: yield* DateTime.now }
          const sending = { id: SubmissionId.make(id), form, answers, visitor }
          yield* store.apply(workspace, SubmissionChange.receive(sending, facts))
        },
        transact,
        retryOnIdentityConflict,
      )

      return Forms.of({
        submit: Effect.fn("Forms.submit")(function* (workspace, form, sent) {
          const answers = yield* Effect.fromResult(readAnswers(form, sent))
          if (answers !== null) yield* receive(workspace, form, answers)
        }),
        list: store.list,
      })
    }),
  )
}
