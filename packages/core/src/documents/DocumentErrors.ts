// The refusals that emails, templates and tents share.
import { Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"

export class HtmlTooLarge extends refusalClass<HtmlTooLarge>()("HtmlTooLarge", {
  code: "payload_too_large",
  fields: { size_bytes: Schema.Int, bytes_max: Schema.Int },
  message: ({ bytes_max, size_bytes }) =>
    `The HTML has ${size_bytes} bytes, and ${bytes_max} are the most. Link to images instead of embedding them`,
}) {}

export class ApprovalVersionStale extends refusalClass<ApprovalVersionStale>()("ApprovalVersionStale", {
  code: "approval_version_stale",
  fields: { version: Schema.Int, current: Schema.Int },
  message: ({ current, version }) =>
    `Version ${version} is not the newest: that is ${current}. Look at it, then approve it`,
}) {}

/** Nothing was generated yet. */
export class TemplateNotReady extends refusalClass<TemplateNotReady>()("TemplateNotReady", {
  code: "template_not_ready",
  message: () => "There is no HTML yet. Wait for a generation to complete, or set the content",
}) {}

/** Only an approved template can be built on. */
export class TemplateNotApproved extends refusalClass<TemplateNotApproved>()("TemplateNotApproved", {
  code: "template_not_approved",
  fields: {
    /** The path of the template's id in the body. */
    path: Schema.String,
  },
  message: () => "The template is a draft. Approve it, or name another one",
  details: ({ path }) => ({ issues: [{ path, message: "must name an approved template" }] }),
}) {}

export class GenerationInProgress extends refusalClass<GenerationInProgress>()("GenerationInProgress", {
  code: "generation_in_progress",
  message: () => "The AI is writing already: wait until that generation is done, or has failed",
}) {}
