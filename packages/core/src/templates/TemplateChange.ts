// EmailTemplateChange and TentTemplateChange: the decisions about templates.
import { Result } from "effect"
import { withFields } from "../documents/Document.ts"
import { withWritten } from "../documents/EmailInput.ts"
import { GenerationInProgress } from "../documents/DocumentErrors.ts"
import { type DocumentChange, DocumentMachine, type Kind } from "../documents/machine.ts"
import type { Invalid } from "../kernel/Refusal.ts"
import { checkName } from "./NewTemplate.ts"
import { type EmailTemplateTypes, type TemplateTypes, type TentTemplateTypes, withDefaults } from "./Template.ts"
import { TemplateInUse } from "./TemplateErrors.ts"

export type EmailTemplateChange = DocumentChange<EmailTemplateTypes>
export type TentTemplateChange = DocumentChange<TentTemplateTypes>

const shared = {
  noun: "template",
  embed: (html) => html,
  inUse: (uses, move) => (uses.length === 0 ? null : new TemplateInUse({ uses, move })),
} satisfies Partial<Kind<TemplateTypes>>

const checkedName = ({ name }: TemplateTypes["patch"]): Result.Result<TemplateTypes["patch"], Invalid> =>
  name === undefined ? Result.succeed({}) : Result.map(checkName(name), (checked) => ({ name: checked }))

export const EmailTemplateChange = new DocumentMachine<EmailTemplateTypes>({
  ...shared,
  draft: (given, state) => Result.succeed({ ...given, ...state }),
  patch: (template, patch) =>
    Result.flatMap(checkedName(patch), (named) =>
      Result.map(withDefaults(template.defaults, patch.defaults ?? {}), (defaults) =>
        withFields(template, { ...named, defaults }),
      ),
    ),
  fill: (template, answer) => ({ ...template, defaults: withWritten(template.defaults, answer) }),
  // An approval without a version waits for the generation: the caller has not seen its result.
  freeze: ({ document, html, generation }, { version, ...approval }) => {
    if (version === undefined && generation?.status === "generating") return Result.fail(new GenerationInProgress())
    const { id, currentVersion, defaults, plainText } = document
    return Result.succeed({ ...approval, templateId: id, version: currentVersion, html, defaults, plainText })
  },
  job: (templateId, generationId) => ({ type: "email_template_generation", templateId, generationId }),
})

export const TentTemplateChange = new DocumentMachine<TentTemplateTypes>({
  ...shared,
  draft: (given, state) => Result.succeed({ ...given, ...state, plainText: null }),
  patch: (template, patch) => Result.map(checkedName(patch), (named) => withFields(template, named)),
  fill: (template) => template,
  freeze: ({ document: { id, currentVersion }, html }, { approvalId, approvedAt }) =>
    Result.succeed({ approvalId, approvedAt, templateId: id, version: currentVersion, html }),
  job: (templateId, generationId) => ({ type: "tent_template_generation", templateId, generationId }),
})
