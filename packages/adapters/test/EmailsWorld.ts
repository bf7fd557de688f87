// The world in which emails go from the request to what is kept, with an AI that does as it is told.
import * as SanitizeHtml from "@tentpole/adapters/ai/SanitizeHtml"
import * as DkimSigner from "@tentpole/adapters/crypto/DkimSigner"
import { Ai, AiRefused, AiUnavailable, type EmailRequest } from "@tentpole/core/ai/Ai"
import type { ContactStore } from "@tentpole/core/contacts/ContactStore"
import { Fresh, settingsLayer } from "@tentpole/core/contract"
import { Links } from "@tentpole/core/deliveries/Links"
import { Emails } from "@tentpole/core/emails/Emails"
import type { NewEmail } from "@tentpole/core/emails/NewEmail"
import type { EmailStore } from "@tentpole/core/emails/EmailStore"
import type { EmailId, GenerationId, Ids, WorkspaceId } from "@tentpole/core/Ids"
import type { JobQueue, Jobs } from "@tentpole/core/Jobs"
import type { Secrets } from "@tentpole/core/Secrets"
import { EmailTemplates } from "@tentpole/core/templates/EmailTemplates"
import type { EmailTemplateStore } from "@tentpole/core/templates/TemplateStore"
import type { Transactor } from "@tentpole/core/Transactor"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Deferred, Effect, Layer } from "effect"

/** What the AI does with a prompt, by its words. */
export let asked: Array<EmailRequest> = []
let gate: Deferred.Deferred<void> | undefined
let called: Deferred.Deferred<void> | undefined
const scripted = Layer.succeed(
  Ai,
  Ai.of({
    page: () => Effect.die("no page is asked for"),
    asksForPage: () => Effect.succeed(true),
    matchColumns: () => Effect.succeed([]),
    email: (request) =>
      Effect.gen(function* () {
        asked.push(request)
        if (called !== undefined) yield* Deferred.succeed(called, undefined)
        if (gate !== undefined) yield* Deferred.await(gate)
        const { prompt } = request
        if (prompt.includes("refused")) return yield* new AiRefused({ reason: "I would rather not" })
        if (prompt.includes("silent")) return yield* new AiUnavailable({ reason: "secret detail" })
        if (prompt.includes("broken")) return yield* Effect.die("the worker's power fails")
        const html = prompt.includes("huge")
          ? "x".repeat(2 ** 21 + 1)
          : prompt.includes("blank")
            ? " \n"
            : `<html><body><h1 onclick="x()">${prompt}</h1><script>x()</script></body></html>`
        return { html, subject: " From\r\nthe AI ", previewText: `P${"🦊".repeat(150)}` }
      }),
  }),
)

/** What both worlds of stores have, as far as emails need it. */
export type Stores<E> = Layer.Layer<
  | EmailStore
  | EmailTemplateStore
  | ContactStore
  | WorkspaceStore
  | Transactor
  | Ids
  | Jobs
  | JobQueue
  | Secrets
  | Fresh,
  E
>

export const world = <E>(stores: Stores<E>) =>
  Layer.merge(Emails.layer, EmailTemplates.layer).pipe(
    Layer.provideMerge(Links.layer),
    Layer.provideMerge(Layer.mergeAll(settingsLayer(), scripted, SanitizeHtml.layer, DkimSigner.layer)),
    Layer.provideMerge(stores),
  )

export const begin = Effect.gen(function* () {
  asked = []
  gate = undefined
  called = undefined
  const emails = yield* Emails
  const workspaces = yield* WorkspaceStore
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace({ credits: 3 })
  const credits = Effect.map(workspaces.find(workspace), (found) => found.credits)
  const made = Effect.fnUntraced(function* (email: Partial<NewEmail> = {}) {
    return yield* emails.create(workspace, { name: "An email", ...email }, "a key")
  })
  const prompted = Effect.fnUntraced(function* (prompt: string, over: Partial<NewEmail> = {}) {
    const { email, generationId } = yield* made({ prompt, ...over })
    return { id: email.id, generation: generationId ?? (yield* Effect.die("it is written by the AI")) }
  })
  const outcome = Effect.fnUntraced(function* (id: EmailId, generation: GenerationId) {
    yield* emails.generate(workspace, id, generation)
    return yield* emails.generation(workspace, id, generation)
  })
  return { emails, fresh, workspace, credits, made, prompted, outcome }
})

/** Asks for a generation, and waits until the AI is at it. */
export const underway = Effect.fnUntraced(function* (workspace: WorkspaceId, id: EmailId, generation: GenerationId) {
  const emails = yield* Emails
  gate = yield* Deferred.make<void>()
  called = yield* Deferred.make<void>()
  const writing = yield* Effect.forkChild(emails.generate(workspace, id, generation))
  yield* Deferred.await(called)
  return { writing, go: Deferred.succeed(gate, undefined) }
})
