// The refusals that emails and templates share.
import { Schema } from "effect"
import type { ErrorCode } from "../kernel/ErrorCode.ts"

export class HtmlTooLarge extends Schema.TaggedError<HtmlTooLarge>()("HtmlTooLarge", {
  size_bytes: Schema.Int,
  bytes_max: Schema.Int,
}) {
  readonly code = "payload_too_large" satisfies ErrorCode
  override get message(): string {
    return `The HTML has ${this.size_bytes} bytes, and ${this.bytes_max} are the most. Link to images instead of embedding them`
  }
}

export class ApprovalVersionStale extends Schema.TaggedError<ApprovalVersionStale>()("ApprovalVersionStale", {
  version: Schema.Int,
  current: Schema.Int,
}) {
  readonly code = "approval_version_stale" satisfies ErrorCode
  override get message(): string {
    return `Version ${this.version} is not the newest: that is ${this.current}. Look at it, then approve it`
  }
}

/** Nothing was generated yet. */
export class TemplateNotReady extends Schema.TaggedError<TemplateNotReady>()("TemplateNotReady", {}) {
  readonly code = "template_not_ready" satisfies ErrorCode
  override get message(): string {
    return "There is no HTML yet. Wait for a generation to complete, or set the content"
  }
}

/** Only an approved template can be built on. */
export class TemplateNotApproved extends Schema.TaggedError<TemplateNotApproved>()("TemplateNotApproved", {
  /** The path of the template's id in the body. */
  path: Schema.String,
}) {
  readonly code = "template_not_approved" satisfies ErrorCode
  override get message(): string {
    return "The template is a draft. Approve it, or name another one"
  }
  get details() {
    return { issues: [{ path: this.path, message: "must name an approved template" }] }
  }
}

export class GenerationInProgress extends Schema.TaggedError<GenerationInProgress>()("GenerationInProgress", {}) {
  readonly code = "generation_in_progress" satisfies ErrorCode
  override get message(): string {
    return "The AI is writing already: wait until that generation is done, or has failed"
  }
}
