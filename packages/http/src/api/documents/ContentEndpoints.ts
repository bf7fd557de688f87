// The endpoints that emails, email templates and tent templates have in common.
import { GenerationId } from "@tentpole/core/kernel/Ids"
import type { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, nothing, pollHeaders } from "../../Wire.ts"
import {
  AskForVersion,
  contentQuery,
  ContentVersionsWire,
  DesignedWire,
  listQuery,
  served,
  SetContent,
  SetPlainText,
} from "./ContentWire.ts"

type Path = `/${string}`

/** The endpoints of one kind of document. `one` is its name with an article: `an email template`. */
export const contentEndpoints = <
  const All extends Path,
  const One extends Path,
  Params extends Schema.Struct.Fields,
  Page extends Schema.Top,
  Document extends Schema.Top,
  Generation extends Schema.Top,
  Generations extends Schema.Top,
>(kind: {
  readonly one: string
  readonly many: string
  readonly paths: { readonly all: All; readonly one: One }
  readonly params: Params
  readonly schemas: {
    readonly page: Page
    readonly document: Document
    readonly generation: Generation
    readonly generations: Generations
  }
  /** Descriptions that differ between the kinds. */
  readonly texts: { readonly find: string; readonly remove: string; readonly unapprove: string }
}) => {
  const { one, many, params, paths, schemas, texts } = kind
  const { document, generation, generations, page } = schemas
  const path = paths.one
  return {
    list: Endpoint.get("list", paths.all, {
      needs: "viewer",
      summary: `List ${many}`,
      description: `Returns ${many}, the newest first.`,
      query: listQuery,
      success: page,
      errors: ["invalid_cursor"],
    }),
    find: Endpoint.get("find", path, {
      needs: "viewer",
      summary: `Get ${one}`,
      description: texts.find,
      params,
      success: document,
    }),
    contents: [
      Endpoint.delete("remove", path, {
        needs: "editor",
        summary: `Delete ${one}`,
        description: texts.remove,
        params,
        errors: ["not_found", "email_in_use"],
      }),
      Endpoint.post("duplicate", `${path}/duplicate`, {
        needs: "editor",
        summary: `Duplicate ${one}`,
        description: "Creates a draft with the current content and fields.",
        params,
        payload: nothing,
        success: document.pipe(HttpApiSchema.status(201)),
        errors: ["not_found", "template_not_ready"],
      }),
      Endpoint.get("content", `${path}/content`, {
        needs: "viewer",
        summary: `Get the HTML of ${one}`,
        description: "Returns the HTML of the current version, or of the version in `version`.",
        params,
        query: contentQuery,
        success: served("text/html"),
      }),
      Endpoint.get("designed", `${path}/content.json`, {
        needs: "viewer",
        summary: `Get the HTML of ${one} with its design`,
        description:
          "Returns a version with the document of the block editor that wrote it. The design of a version that was written in another way is null.",
        params,
        query: contentQuery,
        success: DesignedWire,
      }),
      Endpoint.put("setContent", `${path}/content`, {
        needs: "editor",
        summary: `Set the HTML of ${one}`,
        description:
          "Creates a new version, with the document of a block editor in `design` if one wrote the HTML. An overridden plain text is not changed, and is marked as stale.",
        params,
        payload: SetContent,
        success: document,
        errors: ["not_found", "validation_failed", "payload_too_large"],
      }),
      Endpoint.get("versions", `${path}/versions`, {
        needs: "viewer",
        summary: `List the versions of ${one}`,
        description: "Returns the versions, the newest first.",
        params,
        query: cursorQuery,
        success: ContentVersionsWire,
        errors: ["not_found", "invalid_cursor"],
      }),
    ] as const,
    plainTexts: [
      Endpoint.get("plainText", `${path}/plain-text`, {
        needs: "viewer",
        summary: `Get the plain text of ${one}`,
        description: "Returns the plain text: the override if there is one, otherwise the text derived from the HTML.",
        params,
        success: served("text/plain"),
      }),
      Endpoint.put("setPlainText", `${path}/plain-text`, {
        needs: "editor",
        summary: `Override the plain text of ${one}`,
        description: "Overrides the plain text that is derived from the HTML. It creates no version.",
        params,
        payload: SetPlainText,
        success: document,
        errors: ["not_found", "validation_failed"],
      }),
      Endpoint.delete("unsetPlainText", `${path}/plain-text`, {
        needs: "editor",
        summary: `Remove the plain text override of ${one}`,
        description: "Removes the override. The plain text is derived from the HTML again.",
        params,
        success: document,
        errors: ["not_found", "validation_failed"],
      }),
    ] as const,
    unapprove: Endpoint.post("unapprove", `${path}/unapprove`, {
      needs: "sender",
      summary: `Unapprove ${one}`,
      description: texts.unapprove,
      params,
      payload: nothing,
      success: document,
      errors: ["not_found", "invalid_state", "email_in_use"],
    }),
    generations: [
      Endpoint.post("generate", `${path}/generations`, {
        needs: "editor",
        summary: `Generate the next version of ${one}`,
        description:
          "Requests the next version from the AI, based on the current HTML. One generation runs at a time. Edits made meanwhile are stored as their own versions.",
        params,
        payload: AskForVersion,
        success: generation.pipe(HttpApiSchema.status(202)),
        errors: ["not_found", "validation_failed", "generation_in_progress", "insufficient_credits"],
      }),
      Endpoint.get("generations", `${path}/generations`, {
        needs: "viewer",
        summary: `List the generations of ${one}`,
        description: "Returns the generations, the newest first.",
        params,
        query: cursorQuery,
        success: generations,
        errors: ["not_found", "invalid_cursor"],
      }),
      Endpoint.get("generation", `${path}/generations/:generationId`, {
        needs: "viewer",
        summary: `Get a generation of ${one}`,
        description: "Returns the status of the generation. `Retry-After` is set while it is in progress.",
        params: { ...params, generationId: GenerationId },
        success: HttpApiSchema.WithHeaders(generation, pollHeaders),
      }),
    ] as const,
  }
}
