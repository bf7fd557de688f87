// EmailRules: emails for the use cases and generations that all documents share.
import { Effect } from "effect"
import { Ai } from "../ports/Ai.ts"
import type { DocumentRules } from "../documents/Documents.ts"
import { documentGenerations } from "../documents/GenerationRunner.ts"
import { EmailId } from "../kernel/Ids.ts"
import type { EmailTypes } from "./Email.ts"
import { EmailChange } from "./EmailChange.ts"
import { storableEmail } from "../documents/EmailInput.ts"
import { EmailStore } from "./EmailStore.ts"

export const emailRules = Effect.gen(function* () {
  const store = yield* EmailStore
  const rules: DocumentRules<EmailTypes> = {
    machine: EmailChange,
    store,
    storable: yield* storableEmail,
    ask: (yield* Ai).generateEmail,
    toId: (uuid) => EmailId.make(uuid),
    facts: store.facts,
  }
  return rules
})

export const emailGenerations = Effect.flatMap(emailRules, (rules) => documentGenerations("Emails", rules))
