// The state machine of documents: emails, email templates and tent templates. Each move is pure and returns a `DocumentChange`.
import { type DateTime, Result } from "effect"
import type { WrittenEmail } from "../ports/Ai.ts"
import type { ActorName } from "../kernel/changes/Actor.ts"
import type { ApprovalId, GenerationId } from "../kernel/Ids.ts"
import { type Change, type ChangeEffects, changeOf, type QueuedJob } from "../kernel/changes/Change.ts"
import type { Transitions } from "../kernel/changes/Transitions.ts"
import { type Invalid, InvalidState } from "../kernel/Refusal.ts"
import { type Parse, parseNow } from "../ports/Parsers.ts"
import { copyName } from "../kernel/Text.ts"
import {
  overrideOfCopy,
  checkDesign,
  type ContentStatus,
  type Current,
  type Design,
  type Document,
  type Edit,
  document_name_length_max,
  type DocumentTypes,
  type Locked,
  withOverride,
  statusOf,
  type IdOf,
} from "./Document.ts"
import {
  ApprovalVersionStale,
  type GenerationInProgress,
  type HtmlTooLarge,
  TemplateNotReady,
} from "./DocumentErrors.ts"
import {
  acceptGeneration,
  acceptNextGeneration,
  creditsOf,
  creditsOfRemoval,
  endGeneration,
  type Generation,
  type GenerationRequest,
  type GenerationStep,
} from "./Generation.ts"
import { checkHtml } from "./Clean.ts"
import type { VersionAuthor } from "./Versions.ts"

/** Edits keep the status: an approval freezes its version, and later edits count from the next approval. */
export const transitions = {
  draft: { approve: "approved" },
  approved: { approve: "approved", unapprove: "draft" },
} as const satisfies Transitions<ContentStatus, "approve" | "unapprove">

/** The differences between the kinds of documents. */
export interface Kind<T extends DocumentTypes> {
  readonly noun: "email" | "template"
  readonly draft: (
    given: T["given"],
    state: Omit<Document, "id" | "name" | "plainText"> & { readonly id: IdOf<T> },
  ) => Result.Result<T["document"], Invalid>
  /** The same object when nothing changes. */
  readonly patch: (document: T["document"], patch: T["patch"]) => Result.Result<T["document"], Invalid>
  /** Stores the other parts of the AI's answer in the fields that the user left empty. */
  readonly fill: (document: T["document"], answer: WrittenEmail) => T["document"]
  /** Writes the fields that are part of the HTML into it; `before` is null if the HTML is new. */
  readonly embed: (html: string, after: T["document"], before: T["document"] | null, parse: Parse) => string
  readonly freeze: (
    locked: Omit<Locked<T["document"]>, "html"> & { readonly html: string },
    approval: {
      readonly approvalId: ApprovalId
      readonly version?: number
      readonly approvedAt: DateTime.Utc
      readonly by: ActorName
    },
    facts: T["facts"],
    parse: Parse,
  ) => Result.Result<T["approved"], T["notReady"]>
  /** The document with what it repeats of its approval; null: it has none any more. */
  readonly withApproved: (document: T["document"], approved: T["approved"] | null) => T["document"]
  readonly inUse: (uses: T["uses"], move: "unapproved" | "deleted") => T["inUse"] | null
  readonly job: (id: IdOf<T>, generationId: GenerationId) => QueuedJob["job"]
}

interface Fields<T extends DocumentTypes, After extends T["document"] | null> {
  /** Null: the document is new. */
  readonly before: T["document"] | null
  /** Null: the document is deleted with its versions and generations. The content that its approvals froze stays. */
  readonly after: After
  /** HTML of `after.currentVersion`: a new version or a replacement. */
  readonly html: string | null
  /** The design of a new version; null if it has none. */
  readonly design: Design | null
  /** Of a new version; null if there is none. */
  readonly author: VersionAuthor | null
  readonly approved: T["approved"] | null
  readonly generation: GenerationStep | null
  /** HTML of a template, stored until there is a first version. The first generation builds on it. */
  readonly basis: string | null
  /** Credits taken from the workspace; a negative number returns credits. */
  readonly credits_taken: number
}

export type DocumentChange<T extends DocumentTypes, After extends T["document"] | null = T["document"] | null> = Change<
  "document",
  Fields<T, After>
>

type Decision<T extends DocumentTypes, Refusal> = Result.Result<DocumentChange<T, T["document"]>, Refusal>

/** The AI's answer with the provider that gave it. */
type GeneratedDocument = WrittenEmail & { readonly generatedBy: string }

interface Started<T extends DocumentTypes> extends Edit {
  readonly id: IdOf<T>
  readonly createdByName: string
}

const change = changeOf("document")

const unwritten = {
  html: null,
  design: null,
  author: null,
  approved: null,
  generation: null,
  basis: null,
  credits_taken: 0,
}

export class DocumentMachine<T extends DocumentTypes> {
  readonly kind: Kind<T>
  constructor(kind: Kind<T>) {
    this.kind = kind
  }

  /** A draft at version 1. */
  create(
    {
      html,
      design = null,
      madeBy = "upload",
      ...it
    }: Started<T> &
      Partial<Pick<VersionAuthor, "madeBy">> & {
        readonly fields: T["given"]
        readonly html: string
        readonly design?: Design | null
      },
    parse: Parse = parseNow,
  ): Decision<T, Invalid | HtmlTooLarge> {
    return Result.flatMap(checkHtml(html), (checked) =>
      Result.map(this.#draft(it, 1), (after) =>
        this.#to(null, after, {
          html: this.kind.embed(checked, after, null, parse),
          design,
          author: { madeBy, byName: it.createdByName },
        }),
      ),
    )
  }

  /**
   * A draft without HTML that the AI is going to write. `basis`: HTML of the template that it starts from. `queued` false:
   * the caller runs the generation itself.
   */
  createByPrompt({
    request,
    basis = null,
    queued = true,
    ...it
  }: Started<T> & {
    readonly fields: T["given"]
    readonly request: GenerationRequest
    readonly basis?: string | null
    readonly queued?: boolean
  }): Decision<T, Invalid> {
    return Result.map(this.#draft(it, 0), (draft) =>
      this.#generating(null, draft, { basis, generation: acceptGeneration(request, it.now) }, queued),
    )
  }

  /** A draft with the current content. A stale plain text stays stale. */
  duplicate(
    { document, html }: Current<T["document"]>,
    it: Started<T>,
    design: Design | null = null,
  ): Decision<T, TemplateNotReady> {
    if (html === null) return Result.fail(new TemplateNotReady())
    const after: T["document"] = {
      ...this.kind.withApproved(document, null),
      id: it.id,
      name: copyName(document.name, document_name_length_max),
      currentVersion: 1,
      plainText: overrideOfCopy(document.plainText, document.currentVersion),
      approval: null,
      generationStatus: null,
      createdByName: it.createdByName,
      editedBy: it.by,
      createdAt: it.now,
      updatedAt: it.now,
    }
    return Result.succeed(
      this.#to(null, after, { html, design, author: { madeBy: "upload", byName: it.createdByName } }),
    )
  }

  /** Creates no version: HTML that contains a changed field is replaced. */
  update(
    { document, html }: Current<T["document"]>,
    patch: T["patch"],
    { by, now }: Edit,
    parse: Parse = parseNow,
  ): Decision<T, Invalid> {
    return Result.map(this.kind.patch(document, patch), (patched) => {
      if (patched === document) return this.#to(document, document)
      const after = { ...patched, editedBy: by, updatedAt: now }
      const embedded = html === null ? null : this.kind.embed(html, after, document, parse)
      return this.#to(document, after, { html: embedded === html ? null : embedded })
    })
  }

  /** A new version. */
  setContent(
    document: T["document"],
    {
      byName,
      design = null,
      html,
    }: Pick<VersionAuthor, "byName"> & { readonly html: string; readonly design?: Design | null },
    { by, now }: Edit,
    parse: Parse = parseNow,
  ): Decision<T, Invalid | HtmlTooLarge> {
    return Result.map(Result.all([checkHtml(html), checkDesign(design)]), ([checked]) => {
      const currentVersion = document.currentVersion + 1
      const after = { ...document, currentVersion, generatedBy: null, editedBy: by, updatedAt: now }
      const author = { madeBy: "upload", byName } as const
      return this.#to(document, after, { html: this.kind.embed(checked, after, null, parse), design, author })
    })
  }

  /** The user's own plain text; null restores the text derived from the HTML. Creates no version. */
  setPlainText(document: T["document"], text: string | null, { by, now }: Edit): Decision<T, Invalid> {
    if (text === null && document.plainText === null) return Result.succeed(this.#to(document, document))
    return Result.map(withOverride(text, document.currentVersion, now), (plainText) =>
      this.#to(document, { ...document, plainText, editedBy: by, updatedAt: now }),
    )
  }

  /** Freezes the current content, also of an approved document. `version`: the version that the caller considers current. */
  approve(
    { document, html, generation = null }: Current<T["document"]> & { readonly generation?: Generation | null },
    facts: T["facts"],
    { approvalId, version }: { readonly approvalId: ApprovalId; readonly version?: number },
    { by, now }: Edit,
    parse: Parse = parseNow,
  ): Decision<T, TemplateNotReady | ApprovalVersionStale | T["notReady"]> {
    const { currentVersion: current } = document
    if (html === null) return Result.fail(new TemplateNotReady())
    if (version !== undefined && version !== current) return Result.fail(new ApprovalVersionStale({ version, current }))
    const approval = { approvalId, approvedAt: now, by, ...(version === undefined ? {} : { version }) }
    return Result.map(this.kind.freeze({ document, html, generation }, approval, facts, parse), (approved) => {
      const after = { ...document, approval: { id: approvalId, version: current, by }, updatedAt: now }
      const note = { action: "email.approved", target: document.id, details: { version: current } } as const
      // Flows approve an email for each member.
      const audit = this.kind.noun === "email" && by !== "worker" ? [note] : []
      return this.#to(document, this.kind.withApproved(after, approved), { approved }, { audit })
    })
  }

  /** Returns the document to a draft. The approved content stays, because blasts have sent it. */
  unapprove(document: T["document"], uses: T["uses"], now: DateTime.Utc): Decision<T, InvalidState | T["inUse"]> {
    const status = statusOf(document)
    if (!("unapprove" in transitions[status])) {
      return Result.fail(new InvalidState({ resource: this.kind.noun, status, move: "unapproved" }))
    }
    const inUse = this.kind.inUse(uses, "unapproved")
    return inUse === null
      ? Result.succeed(
          this.#to(document, this.kind.withApproved({ ...document, approval: null, updatedAt: now }, null)),
        )
      : Result.fail(inUse)
  }

  /** Requests the next version from the AI. */
  generate(
    { document, generation: latest }: Pick<Locked<T["document"]>, "document" | "generation">,
    request: GenerationRequest,
    now: DateTime.Utc,
  ): Decision<T, GenerationInProgress> {
    return Result.map(acceptNextGeneration(latest, request, now), (generation) =>
      this.#generating(document, document, { generation }),
    )
  }

  /** Stores the AI's answer as the next version. The caller has checked its HTML. Null when the generation is over. */
  complete(
    { document, generation: latest }: Pick<Locked<T["document"]>, "document" | "generation">,
    id: GenerationId,
    { generatedBy, ...answer }: GeneratedDocument,
    now: DateTime.Utc,
    parse: Parse = parseNow,
  ): DocumentChange<T, T["document"]> | null {
    const version = document.currentVersion + 1
    const generation = latest?.id === id ? endGeneration(latest, "complete", { version }, now) : null
    if (generation === null) return null
    const { createdBy: editedBy, createdByName: byName, status: generationStatus } = generation.after
    const written = { currentVersion: version, generatedBy, editedBy, generationStatus, updatedAt: now }
    const after = { ...this.kind.fill(document, answer), ...written }
    const author = { madeBy: "generation", byName } as const
    return this.#to(document, after, { generation, author, html: this.kind.embed(answer.html, after, null, parse) })
  }

  /** Ends the generation without a version. Null when it is over. */
  fail(
    { document, generation: latest }: Pick<Locked<T["document"]>, "document" | "generation">,
    id: GenerationId,
    error: string,
    now: DateTime.Utc,
  ): DocumentChange<T, T["document"]> | null {
    const generation = latest?.id === id ? endGeneration(latest, "fail", { error }, now) : null
    if (generation === null) return null
    return this.#to(document, { ...document, generationStatus: generation.after.status }, { generation })
  }

  remove(
    { document, generation }: Pick<Locked<T["document"]>, "document" | "generation">,
    uses: T["uses"],
  ): Result.Result<DocumentChange<T, null>, T["inUse"]> {
    const inUse = this.kind.inUse(uses, "deleted")
    if (inUse !== null) return Result.fail(inUse)
    const credits_taken = creditsOfRemoval(generation)
    return Result.succeed(change({ ...unwritten, before: document, after: null, credits_taken }))
  }

  #draft({ by, fields, id, createdByName, now }: Started<T> & { readonly fields: T["given"] }, currentVersion: number) {
    const created = { generatedBy: null, createdByName, editedBy: by, createdAt: now }
    const state = { currentVersion, approval: null, generationStatus: null, ...created }
    return this.kind.draft(fields, { ...state, id, updatedAt: now })
  }

  #to(
    before: T["document"] | null,
    after: T["document"],
    written: Partial<Pick<Fields<T, null>, "html" | "design" | "author" | "approved" | "generation" | "basis">> = {},
    effects: Partial<Pick<ChangeEffects, "audit" | "jobs">> = {},
  ): DocumentChange<T, T["document"]> {
    const credits_taken = written.generation ? creditsOf(written.generation) : 0
    return change({ ...unwritten, ...written, before, after, credits_taken }, effects)
  }

  #generating(
    before: T["document"] | null,
    document: T["document"],
    written: { readonly generation: GenerationStep; readonly basis?: string | null },
    queued = true,
  ) {
    const { id, status } = written.generation.after
    const job = this.kind.job(document.id, id)
    const jobs = queued ? [{ job, id: `${job.type}:${id}` }] : []
    return this.#to(before, { ...document, generationStatus: status }, written, { jobs })
  }
}

/** Whether the change writes nothing. */
export const isUnchanged = ({ before, after }: Pick<Fields<DocumentTypes, Document | null>, "before" | "after">) =>
  before === after
