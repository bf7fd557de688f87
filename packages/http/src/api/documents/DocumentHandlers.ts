// The handlers that emails, email templates and tent templates share.
import type { DocumentTypes, IdOf } from "@tentpole/core/documents/Document"
import type { Documents, ListedBy, PlainTexts } from "@tentpole/core/documents/Documents"
import type { GenerationId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Refusal } from "@tentpole/core/kernel/Refusal"
import type { Workspace } from "@tentpole/core/workspaces/Workspace"
import type { Effect } from "effect"
import type { Caller } from "../../edge/Auth.ts"
import { answer, sliced } from "../../Wire.ts"
import {
  type Approve,
  type AskForVersion,
  type SetContent,
  type SetPlainText,
  toContent,
  toDesigned,
  toGeneration,
  toPolled,
  toServed,
  toVersionWire,
} from "./ContentWire.ts"

interface Call<Params> {
  readonly params: Params
}

interface Sliceable {
  readonly query: Pick<ListedBy, "cursor" | "limit">
}

/** How a kind appears on the wire. */
interface Wires<T extends DocumentTypes, Params, Wire, Key, Owner> {
  readonly idOf: (params: Params) => IdOf<T>
  readonly toWire: (document: T["document"]) => Wire
  /** The key of the items in listings. */
  readonly key: Key
  /** The id of the document, in its generations. */
  readonly ownerOf: (params: Params) => Owner
}

type ApprovedBy<T extends DocumentTypes, Approved, E> = Omit<Documents<T>, "approve"> & {
  readonly approve: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    options: { readonly version?: number },
  ) => Effect.Effect<Approved, E>
}

export const documentHandlers =
  <T extends DocumentTypes>() =>
  <Params, Wire, const Key extends string, Owner extends object, Approved, ApprovedWire, E extends Refusal>(
    documents: ApprovedBy<T, Approved, E>,
    { idOf, toWire, key: name, ownerOf }: Wires<T, Params, Wire, Key, Owner>,
    toApproved: (approved: Approved) => ApprovedWire,
  ) => ({
    list: ({ query }: { readonly query: ListedBy }, { id }: Workspace) =>
      documents.list(id, query).pipe(answer(sliced(name, toWire))),
    find: ({ params }: Call<Params>, { id }: Workspace) => documents.get(id, idOf(params)).pipe(answer(toWire)),
    remove: ({ params }: Call<Params>, { id }: Workspace) =>
      documents.delete(id, idOf(params)).pipe(answer(() => undefined)),
    duplicate: ({ params }: Call<Params>, { id }: Workspace, caller: Caller) =>
      documents.duplicate(id, idOf(params), caller.name).pipe(answer(toWire)),
    content: ({ params, query }: Call<Params> & { readonly query: { readonly version?: number } }, { id }: Workspace) =>
      documents.content(id, idOf(params), query.version).pipe(answer(toServed)),
    designed: (
      { params, query }: Call<Params> & { readonly query: { readonly version?: number } },
      { id }: Workspace,
    ) => documents.designed(id, idOf(params), query.version).pipe(answer(toDesigned)),
    versions: ({ params, query }: Call<Params> & Sliceable, { id }: Workspace) =>
      documents.versions(id, idOf(params), query).pipe(answer(sliced("versions", toVersionWire))),
    setContent: (
      { params, payload }: Call<Params> & { readonly payload: typeof SetContent.Type },
      { id }: Workspace,
      caller: Caller,
    ) => documents.setContent(id, idOf(params), { ...toContent(payload), byName: caller.name }).pipe(answer(toWire)),
    generate: (
      { params, payload: { prompt } }: Call<Params> & { readonly payload: typeof AskForVersion.Type },
      { id }: Workspace,
      caller: Caller,
    ) =>
      documents
        .startGeneration(id, idOf(params), { prompt, createdByName: caller.name })
        .pipe(answer(toGeneration(ownerOf(params)))),
    generations: ({ params, query }: Call<Params> & Sliceable, { id }: Workspace) =>
      documents.generations(id, idOf(params), query).pipe(answer(sliced("generations", toGeneration(ownerOf(params))))),
    generation: (
      { params }: { readonly params: Params & { readonly generationId: GenerationId } },
      { id }: Workspace,
    ) => documents.generation(id, idOf(params), params.generationId).pipe(answer(toPolled(ownerOf(params)))),
    approve: (
      { params, payload }: Call<Params> & { readonly payload: typeof Approve.Type | undefined },
      { id }: Workspace,
    ) => documents.approve(id, idOf(params), payload ?? {}).pipe(answer(toApproved)),
    unapprove: ({ params }: Call<Params>, { id }: Workspace) =>
      documents.unapprove(id, idOf(params)).pipe(answer(toWire)),
  })

/** The handlers of the plain text, which emails and email templates have. */
export const plainTextHandlers =
  <T extends DocumentTypes>() =>
  <Params, Wire>(
    documents: PlainTexts<T>,
    { idOf, toWire }: Pick<Wires<T, Params, Wire, unknown, unknown>, "idOf" | "toWire">,
  ) => ({
    plainText: ({ params }: Call<Params>, { id }: Workspace) =>
      documents.plainText(id, idOf(params)).pipe(answer(toServed)),
    setPlainText: (
      { params, payload }: Call<Params> & { readonly payload: typeof SetPlainText.Type },
      { id }: Workspace,
    ) => documents.setPlainText(id, idOf(params), payload.text).pipe(answer(toWire)),
    unsetPlainText: ({ params }: Call<Params>, { id }: Workspace) =>
      documents.setPlainText(id, idOf(params), null).pipe(answer(toWire)),
  })
