// Emails created from the approvals of templates, on both stores.
import { EmailTemplateId } from "@tentpole/core/kernel/Ids"
import { EmailTemplates } from "@tentpole/core/emails/EmailTemplates"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aiRequests, begin, type Stores, world } from "../fixtures/EmailsWorld.ts"
import { memory, postgres } from "../fixtures/Stores.ts"

const seeded = <E>(name: string, stores: Stores<E>) =>
  layer(world(stores), { excludeTestServices: true })(`emails created from templates: ${name}`, (it) => {
    const templated = Effect.gen(function* () {
      const begun = yield* begin
      const templates = yield* EmailTemplates
      const defaults = { subject: "DS", fromName: "DN", replyToEmail: "dr@x.test" }
      const wanted = { name: "a template", html: "<p>seed</p>", defaults }
      const { document: template } = yield* templates.create(begun.workspace, wanted, "a key")
      const approve = templates.approve(begun.workspace, template.id, {})
      yield* approve
      const unapprove = templates.unapprove(begun.workspace, template.id)
      return { ...begun, templates, template: template.id, approve, unapprove }
    })

    it.effect("take fields from the request first, then from the template's approval, then from the workspace", () =>
      Effect.gen(function* () {
        const { emails, workspace, made, template } = yield* templated
        const { document: email } = yield* made({ templateId: template, fromName: null })
        assert.deepInclude(email, { subject: "DS", fromName: null, fromAddress: null, replyToEmail: "dr@x.test" })
        assert.strictEqual(yield* emails.content(workspace, email.id), "<p>seed</p>")
        assert.strictEqual(yield* emails.plainText(workspace, email.id), "seed")
      }),
    )

    it.effect("take over an approved plain text that the user wrote, with its stale flag", () =>
      Effect.gen(function* () {
        const { emails, workspace, made, template, templates, approve } = yield* templated
        yield* templates.setPlainText(workspace, template, "mine")
        assert.isNull((yield* made({ templateId: template })).document.plainText)
        yield* approve
        const fresh = (yield* made({ templateId: template })).document
        assert.deepInclude(fresh.plainText, { text: "mine", version: 1 })
        assert.deepStrictEqual(yield* emails.get(workspace, fresh.id), fresh)
        yield* templates.setContent(workspace, template, { html: "<p>later</p>", byName: "a key" })
        yield* approve
        const stale = (yield* made({ templateId: template })).document
        assert.deepInclude(stale, { currentVersion: 1 })
        assert.deepInclude(stale.plainText, { text: "mine", version: 0 })
      }),
    )

    it.effect("with a prompt, start from the approval even if the template changes later", () =>
      Effect.gen(function* () {
        const { prompted, template, unapprove, outcome } = yield* templated
        const { id, generation } = yield* prompted("greet", { templateId: template })
        yield* unapprove
        assert.strictEqual((yield* outcome(id, generation)).status, "completed")
        assert.strictEqual(aiRequests[0]?.basis, "<p>seed</p>")
      }),
    )

    it.effect("need an existing, approved template", () =>
      Effect.gen(function* () {
        const { made, template, unapprove, fresh } = yield* templated
        yield* unapprove
        assert.strictEqual((yield* Effect.flip(made({ templateId: template })))._tag, "TemplateNotApproved")
        const theirs = (yield* templated).template
        for (const templateId of [EmailTemplateId.make(yield* fresh.id), theirs]) {
          const unknown = yield* Effect.flip(made({ templateId }))
          assert.deepInclude(unknown, { _tag: "NotFound", resource: "email template", path: "template_id" })
        }
      }),
    )
  })

seeded("memory", memory)
seeded("postgres", postgres)
