// The handlers of email blasts and of exports of their recipients.
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { BlastReports } from "@tentpole/core/blasts/figures/BlastReports"
import type { AudienceSelection } from "@tentpole/core/blasts/AudienceSelection"
import { BlastAudits } from "@tentpole/core/blasts/inspection/BlastAudits"
import { DryRuns } from "@tentpole/core/blasts/inspection/DryRuns"
import { Schedules } from "@tentpole/core/blasts/Schedules"
import { Exports } from "@tentpole/core/exports/Exports"
import type { BlastId } from "@tentpole/core/kernel/Ids"
import { Effect, Layer } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, paged, pageOf } from "../../Wire.ts"
import { toBegun, toFollowed } from "../exports/ExportEndpoints.ts"
import { toEmailChoice } from "../emails/EmailChoiceWire.ts"
import type { SetAudience, UpdateBlast } from "./BlastsApi.ts"
import { toBlastProgress, toBlastReport } from "./FiguresWire.ts"
import { toAuditWire, toBlastWire, toDryRunWire, toRecipientWire } from "./BlastWire.ts"

const audienceOf = (payload: typeof SetAudience.Type): AudienceSelection => {
  if (payload.source === "existing") return { source: "existing", listId: payload.list_id }
  const { name, description = null } = payload
  const inline = { source: "inline", description, ...(name === undefined ? {} : { name }) } as const
  return payload.kind === "static"
    ? { ...inline, kind: "static", contactIds: payload.contact_ids }
    : { ...inline, kind: "dynamic", rules: payload.rules }
}

const fieldsOf = <Fields extends typeof UpdateBlast.Type>({ topic_id, ...fields }: Fields) => ({
  ...fields,
  ...(topic_id === undefined ? {} : { topicId: topic_id }),
})

const blast = answer(toBlastWire)

const deleted = (id: BlastId) => answer(() => ({ blast_id: id, deleted: true }) as const)

const blastsLayer = handlersOf(
  "blasts",
  Effect.all({ blasts: Blasts, schedules: Schedules, dryRuns: DryRuns, reports: BlastReports, audits: BlastAudits }),
  ({ blasts, schedules, dryRuns, reports, audits }) => ({
    list: ({ query }, { id }) =>
      blasts
        .list(id, {
          ...pageOf(query),
          status: query.status ?? null,
          search: query.search ?? "",
          sortBy: query.sort_by ?? "updated_at",
          sortOrder: query.sort_order ?? "desc",
        })
        .pipe(Effect.map(paged("blasts", query, toBlastWire))),
    create: ({ payload }, { id }) => blast(blasts.create(id, fieldsOf(payload))),
    find: ({ params }, { id }) => blast(blasts.get(id, params.blastId)),
    update: ({ params, payload }, { id }) => blast(blasts.update(id, params.blastId, fieldsOf(payload))),
    remove: ({ params }, { id }) => deleted(params.blastId)(blasts.delete(id, params.blastId)),
    setAudience: ({ params, payload }, { id }) => blast(blasts.setAudience(id, params.blastId, audienceOf(payload))),
    setEmail: ({ params, payload }, { id }, caller) =>
      blast(blasts.setEmail(id, params.blastId, toEmailChoice(payload), caller.name)),
    sendNow: ({ params, payload }, { id }) =>
      blast(blasts.sendNow(id, params.blastId, { operational: payload?.operational ?? false })),
    schedule: ({ params, payload: { scheduled_at, operational = false } }, { id }) =>
      blast(schedules.schedule(id, params.blastId, { scheduledAt: scheduled_at, operational })),
    unschedule: ({ params }, { id }) => blast(schedules.unschedule(id, params.blastId)),
    archive: ({ params }, { id }) => blast(blasts.archive(id, params.blastId)),
    duplicate: ({ params }, { id }, caller) => blast(blasts.duplicate(id, params.blastId, caller.name)),
    dryRun: ({ params, payload = {} }, { id }) =>
      dryRuns.dryRun(id, params.blastId, payload).pipe(answer(toDryRunWire)),
    retryFailed: ({ params, payload }, { id }) =>
      blast(blasts.retryFailed(id, params.blastId, { includeUnconfirmed: payload?.include_unconfirmed ?? false })),
    pause: ({ params }, { id }) => blast(blasts.pause(id, params.blastId)),
    resume: ({ params }, { id }) => blast(blasts.resume(id, params.blastId)),
    cancel: ({ params }, { id }) => blast(blasts.cancel(id, params.blastId)),
    progress: ({ params }, { id }) => reports.progress(id, params.blastId).pipe(answer(toBlastProgress)),
    report: ({ params }, { id }) => reports.report(id, params.blastId).pipe(answer(toBlastReport)),
    audit: ({ params }, { id }) => audits.audit(id, params.blastId).pipe(answer(toAuditWire)),
    recipients: ({ params, query }, { id }) =>
      blasts
        .recipients(id, params.blastId, {
          ...pageOf(query),
          category: query.category ?? "recipients",
          domain: query.domain?.toLowerCase() ?? null,
          reason: query.reason ?? null,
          link: query.link_index ?? null,
          search: query.search ?? "",
          sort: query.sort ?? "created_at",
          order: query.order ?? "desc",
        })
        .pipe(answer(paged("contacts", query, toRecipientWire))),
  }),
)

const exportsLayer = handlersOf("blastExports", Exports, (exports) => ({
  begin: ({ params: { blastId }, payload }, { id }) =>
    exports.create(id, { kind: "blast", blastId, category: payload?.category ?? "recipients" }).pipe(answer(toBegun)),
  find: ({ params: { blastId, exportId } }, { id }) =>
    exports.get(id, { kind: "blast", blastId }, exportId).pipe(answer(toFollowed)),
}))

export const layer = Layer.merge(blastsLayer, exportsLayer)
