// The handlers of email blasts and of exports of their recipients.
import { Blasts } from "@tentpole/core/blasts/Blasts"
import type { AudienceSelection } from "@tentpole/core/blasts/AudienceSelection"
import { DryRuns } from "@tentpole/core/blasts/inspection/DryRuns"
import { Schedules } from "@tentpole/core/blasts/Schedules"
import { Exports } from "@tentpole/core/exports/Exports"
import type { BlastId } from "@tentpole/core/kernel/Ids"
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer, paged, pageOf } from "../../Wire.ts"
import { toBegun, toFollowed } from "../exports/ExportEndpoints.ts"
import { toEmailChoice } from "../emails/EmailChoiceWire.ts"
import type { SetAudience } from "./BlastsApi.ts"
import { toBlastWire, toDryRunWire, toRecipientWire } from "./BlastWire.ts"

const audienceOf = (payload: typeof SetAudience.Type): AudienceSelection => {
  if (payload.source === "existing") return { source: "existing", listId: payload.list_id }
  const { name, description = null } = payload
  const inline = { source: "inline", description, ...(name === undefined ? {} : { name }) } as const
  return payload.kind === "static"
    ? { ...inline, kind: "static", contactIds: payload.contact_ids }
    : { ...inline, kind: "dynamic", rules: payload.rules }
}

const blast = answer(toBlastWire)

const deleted = (id: BlastId) => answer(() => ({ blast_id: id, deleted: true }) as const)

const blastsLayer = HttpApiBuilder.group(
  Api,
  "blasts",
  Effect.fnUntraced(function* (handlers) {
    const blasts = yield* Blasts
    const schedules = yield* Schedules
    const dryRuns = yield* DryRuns
    return handlers.handleAll({
      list: ({ query }) =>
        withWorkspace(({ id }) =>
          blasts
            .list(id, {
              ...pageOf(query),
              status: query.status ?? null,
              search: query.search ?? "",
              sortBy: query.sort_by ?? "updated_at",
              sortOrder: query.sort_order ?? "desc",
            })
            .pipe(Effect.map(paged("blasts", query, toBlastWire))),
        ),
      create: ({ payload }) => withWorkspace(({ id }) => blast(blasts.create(id, payload))),
      find: ({ params }) => withWorkspace(({ id }) => blast(blasts.get(id, params.blastId))),
      update: ({ params, payload }) => withWorkspace(({ id }) => blast(blasts.update(id, params.blastId, payload))),
      remove: ({ params }) => withWorkspace(({ id }) => deleted(params.blastId)(blasts.delete(id, params.blastId))),
      setAudience: ({ params, payload }) =>
        withWorkspace(({ id }) => blast(blasts.setAudience(id, params.blastId, audienceOf(payload)))),
      setEmail: ({ params, payload }) =>
        withWorkspace(({ id }, key) => blast(blasts.setEmail(id, params.blastId, toEmailChoice(payload), key.name))),
      sendNow: ({ params, payload }) =>
        withWorkspace(({ id }) =>
          blast(blasts.sendNow(id, params.blastId, { operational: payload?.operational ?? false })),
        ),
      schedule: ({ params, payload: { scheduled_at, operational = false } }) =>
        withWorkspace(({ id }) =>
          blast(schedules.schedule(id, params.blastId, { scheduledAt: scheduled_at, operational })),
        ),
      unschedule: ({ params }) => withWorkspace(({ id }) => blast(schedules.unschedule(id, params.blastId))),
      archive: ({ params }) => withWorkspace(({ id }) => blast(blasts.archive(id, params.blastId))),
      duplicate: ({ params }) => withWorkspace(({ id }, key) => blast(blasts.duplicate(id, params.blastId, key.name))),
      dryRun: ({ params, payload = {} }) =>
        withWorkspace(({ id }) => dryRuns.dryRun(id, params.blastId, payload).pipe(answer(toDryRunWire))),
      retryFailed: ({ params, payload }) =>
        withWorkspace(({ id }) =>
          blast(blasts.retryFailed(id, params.blastId, { includeUnconfirmed: payload?.include_unconfirmed ?? false })),
        ),
      pause: ({ params }) => withWorkspace(({ id }) => blast(blasts.pause(id, params.blastId))),
      resume: ({ params }) => withWorkspace(({ id }) => blast(blasts.resume(id, params.blastId))),
      cancel: ({ params }) => withWorkspace(({ id }) => blast(blasts.cancel(id, params.blastId))),
      recipients: ({ params, query }) =>
        withWorkspace(({ id }) =>
          blasts
            .recipients(id, params.blastId, {
              ...pageOf(query),
              category: query.category ?? "recipients",
              search: query.search ?? "",
              sort: query.sort ?? "created_at",
              order: query.order ?? "desc",
            })
            .pipe(answer(paged("contacts", query, toRecipientWire))),
        ),
    })
  }),
)

const exportsLayer = HttpApiBuilder.group(
  Api,
  "blastExports",
  Effect.fnUntraced(function* (handlers) {
    const exports = yield* Exports
    return handlers.handleAll({
      begin: ({ params: { blastId }, payload }) =>
        withWorkspace(({ id }) =>
          exports.create(id, { kind: "blast", blastId, category: payload?.category ?? "recipients" }),
        ).pipe(answer(toBegun)),
      find: ({ params: { blastId, exportId } }) =>
        withWorkspace(({ id }) => exports.get(id, { kind: "blast", blastId }, exportId)).pipe(answer(toFollowed)),
    })
  }),
)

export const layer = Layer.merge(blastsLayer, exportsLayer)
