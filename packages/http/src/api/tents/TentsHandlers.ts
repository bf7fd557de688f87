// The handlers of tents and of their bulk creation.
import { toAlias } from "@tentpole/core/tents/Alias"
import type { NewTent } from "@tentpole/core/tents/NewTent"
import type { PublishInput } from "@tentpole/core/tents/Publishing"
import { isInProgress } from "@tentpole/core/tents/Tent"
import { Tents, type TentView } from "@tentpole/core/tents/Tents"
import { BulkTents } from "@tentpole/core/tents/bulk/BulkTents"
import { Effect, Layer, Result } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { TentVersions } from "@tentpole/core/tents/TentVersions"
import { requireRole } from "@tentpole/core/workspaces/Role"
import type { Caller } from "../../edge/Auth.ts"
import { handlersOf } from "../../GroupHandlers.ts"
import { toGeneration, toPolled } from "../documents/ContentWire.ts"
import { answer, polled, sliced, toCamelCase } from "../../Wire.ts"
import {
  type CreateTent,
  type PublishTent,
  type TentDeleted,
  toCreatedTent,
  toListedTent,
  toPageVersion,
  toPublished,
  toTentWire,
} from "./TentsApi.ts"
import { toAdmission, toFollowed, toListedBulkJob, toNewBulk } from "./bulk/BulkTentsApi.ts"

const tentsLayer = handlersOf("tents", Effect.all({ tents: Tents, pages: TentVersions }), ({ tents, pages }) => ({
  create: ({ payload }, { id }, caller) =>
    mayPublish(payload, caller).pipe(
      Effect.andThen(tents.create(id, toNewTent(payload), caller.name)),
      answer(toCreatedTent),
    ),
  list: ({ query }, { id }) => tents.list(id, query).pipe(answer(sliced("tents", toListedTent))),
  show: ({ params }, { id }) =>
    tents.get(id, params.tentId).pipe(answer((shown) => polled(toTentWire(shown), isInProgress(shown.tent)))),
  content: ({ params, query }, { id }) =>
    tents
      .content(id, params.tentId, query.version)
      .pipe(answer((body) => HttpApiSchema.withHeaders({ body, headers: sandboxed }))),
  update: ({ params, payload }, { id }) => tents.update(id, params.tentId, payload).pipe(answer(toTentWire)),
  setContent: ({ params, payload }, { id }, caller) =>
    pages.setContent(id, params.tentId, { ...payload, byName: caller.name }).pipe(answer(toTentWire)),
  revise: ({ params, payload }, { id }, caller) =>
    pages
      .startRevision(id, params.tentId, { ...payload, createdByName: caller.name })
      .pipe(answer(toGeneration({ tent_id: params.tentId }))),
  revision: ({ params }, { id }) =>
    pages.revision(id, params.tentId, params.generationId).pipe(answer(toPolled({ tent_id: params.tentId }))),
  versions: ({ params, query }, { id }) =>
    pages.list(id, params.tentId, query).pipe(answer(sliced("versions", toPageVersion))),
  restore: ({ params: { tentId, n: version } }, { id }, caller) =>
    pages.restore(id, tentId, { version, byName: caller.name }).pipe(answer(toTentWire)),
  publish: ({ params, payload }, { id }) =>
    Effect.flatMap(Effect.fromResult(toWish(payload)), (wish) => tents.publish(id, params.tentId, wish)).pipe(
      answer(toPublished(publishMessage)),
    ),
  unpublish: ({ params }, { id }) => tents.unpublish(id, params.tentId).pipe(answer(toPublished(unpublishMessage))),
  remove: ({ params }, { id }) =>
    tents
      .delete(id, params.tentId)
      .pipe(answer((tent_id): typeof TentDeleted.Type => ({ message: "The tent and its page are deleted", tent_id }))),
}))

/** `auto_publish` publishes a page, which needs another role than creating one. */
const mayPublish = ({ auto_publish = false }: { readonly auto_publish?: boolean }, { role }: Caller) =>
  requireRole(role, auto_publish ? "sender" : "editor")

/** Isolates a tenant's HTML on the API's origin: the browser uses an opaque origin and runs no scripts. */
const sandboxed = { "content-security-policy": "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'" }

const toNewTent = (payload: typeof CreateTent.Type): NewTent => ({
  includeBrand: false,
  autoPublish: false,
  assetIds: [],
  ...toCamelCase(payload),
})

const toWish = ({ custom_page_alias, remove_branding }: typeof PublishTent.Type) => {
  const rest: PublishInput = remove_branding === undefined ? {} : { removeBranding: remove_branding }
  if (custom_page_alias === undefined) return Result.succeed(rest)
  if (custom_page_alias === null) return Result.succeed<PublishInput>({ ...rest, alias: null })
  return Result.map(toAlias("custom_page_alias", custom_page_alias), (alias): PublishInput => ({ ...rest, alias }))
}

const publishMessage = ({ url, ...shown }: TentView & { readonly changed?: boolean }): string =>
  shown.changed === false ? `The page is live at ${url} already: nothing has changed` : `The page is live at ${url}`

const unpublishMessage = (shown: TentView & { readonly changed?: boolean }): string =>
  shown.changed === false
    ? "The page was not published any more"
    : "The page is no longer public. Its alias stays reserved for it"

const bulkLayer = handlersOf("bulkTents", BulkTents, (tents) => ({
  create: ({ payload }, { id }, caller) =>
    mayPublish(payload, caller).pipe(
      Effect.andThen(tents.create(id, toNewBulk(payload, caller.name))),
      answer(toAdmission),
    ),
  list: ({ query }, { id }) => tents.list(id, query).pipe(answer(sliced("bulk_jobs", toListedBulkJob))),
  find: ({ params }, { id }) => tents.get(id, params.bulkJobId).pipe(answer(toFollowed)),
}))

export const layer = Layer.merge(tentsLayer, bulkLayer)
