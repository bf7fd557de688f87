// Tests of generation jobs of templates: when an attempt works, and when the generation is abandoned.
import { defaults } from "@tentpole/core/kernel/changes/JobRunner"
import { EmailTemplateId, GenerationId, TentTemplateId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { EmailTemplates } from "@tentpole/core/emails/EmailTemplates"
import { TentTemplates } from "@tentpole/core/tents/TentTemplates"
import { attempts_to_work, handlers } from "@tentpole/worker/jobs/Jobs"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"

const id = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
const shared = { workspaceId: WorkspaceId.make(id), generationId: GenerationId.make(id) }

/** The result of one attempt for both kinds: whether it worked, failed, and was abandoned with a reason. */
const attempted = Effect.fnUntraced(function* (attempt: number, run: Effect.Effect<void>) {
  let [worked, abandoned] = [0, false]
  const verbs = {
    runGeneration: () =>
      Effect.andThen(
        Effect.sync(() => void worked++),
        run,
      ),
    abandonGeneration: () => Effect.sync(() => void (abandoned = true)),
  }
  const ofEmail = { type: "email_template_generation", ...shared, templateId: EmailTemplateId.make(id) } as const
  const ofTent = { type: "tent_template_generation", ...shared, templateId: TentTemplateId.make(id) } as const
  const about = { id: "x", attempt }
  const outcomes = [
    yield* Effect.exit(
      handlers.email_template_generation(ofEmail, about).pipe(Effect.provide(Layer.mock(EmailTemplates)(verbs))),
    ),
    yield* Effect.exit(
      handlers.tent_template_generation(ofTent, about).pipe(Effect.provide(Layer.mock(TentTemplates)(verbs))),
    ),
  ]
  return { worked, failed: outcomes.filter(Exit.isFailure).length, abandoned }
})

it.effect("a generation is abandoned at the last attempt, not before", () =>
  Effect.gen(function* () {
    const broken = Effect.die(new Error("the store is unreachable"))
    const failed = { worked: 2, failed: 2, abandoned: false }
    assert.deepStrictEqual(yield* attempted(1, Effect.void), { ...failed, failed: 0 })
    assert.deepStrictEqual(yield* attempted(1, broken), failed)
    assert.deepStrictEqual(yield* attempted(attempts_to_work - 1, broken), failed)
    assert.deepStrictEqual(yield* attempted(attempts_to_work, broken), { ...failed, abandoned: true })
    assert.deepStrictEqual(yield* attempted(attempts_to_work, Effect.interrupt), failed)
  }),
)

it.effect("a generation that crashed every worker is abandoned without another request to the AI", () =>
  Effect.gen(function* () {
    for (const attempt of [attempts_to_work + 1, defaults.attempts_max]) {
      assert.deepStrictEqual(yield* attempted(attempt, Effect.void), { worked: 0, failed: 2, abandoned: true })
    }
  }),
)
