// Template jobs: AI generations of the next version.
import type { Job, JobAttempt } from "@tentpole/core/kernel/changes/Jobs"
import { EmailTemplates } from "@tentpole/core/emails/EmailTemplates"
import { TentTemplates } from "@tentpole/core/tents/TentTemplates"
import { Effect } from "effect"
import { retryThenFail } from "./RetryPolicy.ts"

type Of<Type extends Job["type"]> = Extract<Job, { readonly type: Type }>

export const emailTemplateGeneration = (
  { workspaceId, templateId, generationId }: Of<"email_template_generation">,
  attempt: JobAttempt,
) =>
  Effect.flatMap(EmailTemplates, (templates) =>
    retryThenFail(
      attempt,
      templates.runGeneration(workspaceId, templateId, generationId),
      templates.abandonGeneration(workspaceId, templateId, generationId),
    ),
  )

export const tentTemplateGeneration = (
  { workspaceId, templateId, generationId }: Of<"tent_template_generation">,
  attempt: JobAttempt,
) =>
  Effect.flatMap(TentTemplates, (templates) =>
    retryThenFail(
      attempt,
      templates.runGeneration(workspaceId, templateId, generationId),
      templates.abandonGeneration(workspaceId, templateId, generationId),
    ),
  )
