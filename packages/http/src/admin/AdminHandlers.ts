// The handlers of the administration API.
import { Members } from "@tentpole/core/accounts/Members"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { DeadJobs } from "@tentpole/core/operations/deadJobs/DeadJobs"
import { ServiceOverviews } from "@tentpole/core/operations/overview/ServiceOverviews"
import { Privacy } from "@tentpole/core/operations/privacy/Privacy"
import { type Authority, requireRole } from "@tentpole/core/workspaces/Role"
import { Suppressions } from "@tentpole/core/sending/Suppressions"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { DateTime, Effect, Layer, Struct } from "effect"
import { handlersFor } from "../GroupHandlers.ts"
import { toSuppressionWire } from "../api/sending/SuppressionsApi.ts"
import { toWorkspaceWire } from "../api/workspaces/WorkspaceWire.ts"
import { Doctor } from "../doctor/Doctor.ts"
import { answer, sliced, toListing } from "../Wire.ts"
import { AdminApi } from "./AdminApi.ts"
import { CurrentAuthority } from "./AdminAuth.ts"
import {
  isOfOperators,
  toAuditEntryWire,
  toCheckedDomainWire,
  toContactExportWire,
  toDomainWire,
  toInvitationWire,
  toKeyWire,
  toMemberWire,
  toNewInvitationWire,
  toNewKeyWire,
  toPageDomainWire,
  toWorkspaceFields,
} from "./AdminWire.ts"
import { toCheckWire, toDeadJobWire, toOperationsWire } from "./InstallationApi.ts"

const handlersOf = handlersFor(
  AdminApi,
  Effect.map(CurrentAuthority, (authority): readonly [Authority] => [authority]),
)

const nothing = answer(() => undefined)

const workspaces = handlersOf(
  "workspaces",
  Effect.all({ administration: Administration, all: Workspaces, store: WorkspaceStore }),
  ({ administration, all, store }) => ({
    list: ({ query }) => administration.workspaces(query).pipe(answer(toListing("workspaces", toWorkspaceWire))),
    create: ({ payload }) =>
      all.create({ ...toWorkspaceFields(payload), name: payload.name }).pipe(answer(toWorkspaceWire)),
    find: ({ params }) => store.get(params.workspace_id).pipe(answer(toWorkspaceWire)),
    update: ({ params, payload }, authority) =>
      requireRole(authority, Struct.keys(payload).some(isOfOperators) ? "operator" : "owner").pipe(
        Effect.andThen(all.update(params.workspace_id, toWorkspaceFields(payload))),
        answer(toWorkspaceWire),
      ),
    remove: ({ params, query }) =>
      administration
        .delete(params.workspace_id, query.confirm)
        .pipe(answer(() => ({ workspace_id: params.workspace_id, status: "erasing" as const }))),
  }),
)

const keys = handlersOf(
  "keys",
  Effect.all({ administration: Administration, workspaces: Workspaces }),
  ({ administration, workspaces: { createKey, revokeKey } }) => ({
    list: ({ params, query }) =>
      administration.keys(params.workspace_id, query).pipe(answer(toListing("keys", toKeyWire))),
    create: ({ params, payload: { expires_at, name, role } }) =>
      createKey(params.workspace_id, {
        name,
        ...(role === undefined ? {} : { role }),
        ...(expires_at === undefined || expires_at === null ? {} : { expiresAt: expires_at }),
      }).pipe(answer(toNewKeyWire)),
    revoke: ({ params }) => revokeKey(params.workspace_id, params.key_id).pipe(nothing),
  }),
)

const members = handlersOf("members", Members, (all) => ({
  list: ({ params, query }) => all.list(params.workspace_id, query).pipe(answer(toListing("members", toMemberWire))),
  update: ({ params, payload }) =>
    all.update(params.workspace_id, params.user_id, payload.role).pipe(answer(toMemberWire)),
  remove: ({ params }) => all.delete(params.workspace_id, params.user_id).pipe(nothing),
}))

const invitations = handlersOf(
  "invitations",
  Effect.all({ members: Members, settings: Settings }),
  ({ members: { invitations: list, invite, uninvite }, settings: { publicConsoleUrl } }) => ({
    list: ({ params, query }) =>
      list(params.workspace_id, query).pipe(answer(toListing("invitations", toInvitationWire))),
    create: ({ params, payload }) =>
      invite(params.workspace_id, payload).pipe(answer(toNewInvitationWire(publicConsoleUrl))),
    remove: ({ params }) => uninvite(params.workspace_id, params.invitation_id).pipe(nothing),
  }),
)

const domains = handlersOf(
  "domains",
  Effect.all({ administration: Administration, workspaces: Workspaces }),
  ({ administration, workspaces: { addDomain, removeDomain, getDomain, verifyDomain } }) => ({
    list: ({ params, query }) =>
      administration.domains(params.workspace_id, query).pipe(answer(toListing("domains", toDomainWire))),
    add: ({ params, payload }) => addDomain(params.workspace_id, payload.domain).pipe(answer(toCheckedDomainWire)),
    find: ({ params }) => getDomain(params.workspace_id, params.domain_id).pipe(answer(toCheckedDomainWire)),
    verify: ({ params }) => verifyDomain(params.workspace_id, params.domain_id).pipe(answer(toCheckedDomainWire)),
    remove: ({ params }) => removeDomain(params.workspace_id, params.domain_id).pipe(nothing),
  }),
)

const pageDomains = handlersOf("pageDomains", Administration, (administration) => ({
  list: ({ params, query }) =>
    administration.pageDomains(params.workspace_id, query).pipe(answer(toListing("page_domains", toPageDomainWire))),
  add: ({ params, payload }) =>
    administration.addPageDomain(params.workspace_id, payload.domain).pipe(answer(toPageDomainWire)),
  remove: ({ params }) => administration.removePageDomain(params.workspace_id, params.page_domain_id).pipe(nothing),
}))

const suppressions = handlersOf("suppressions", Suppressions, (all) => ({
  list: ({ params, query }) =>
    all.list(params.workspace_id, query).pipe(answer(sliced("suppressions", toSuppressionWire))),
  add: ({ params, payload: { email, reason = "manual" } }) =>
    all.suppress(params.workspace_id, { email, reason }).pipe(answer(toSuppressionWire)),
  remove: ({ params }) => all.unsuppress(params.workspace_id, params.email).pipe(nothing),
}))

const contacts = handlersOf("contacts", Privacy, (privacy) => ({
  export: ({ params }) =>
    Effect.zipWith(privacy.rowsOf(params.workspace_id, params.contact_id), DateTime.now, (rows, at) =>
      toContactExportWire(params.contact_id, rows, at),
    ).pipe(answer((exported) => exported)),
  erase: ({ params }) => privacy.erase(params.workspace_id, params.contact_id).pipe(nothing),
}))

const auditLog = handlersOf("auditLog", Administration, (administration) => ({
  list: ({ query: { workspace_id, ...by } }) =>
    administration
      .auditLog({ ...by, ...(workspace_id === undefined ? {} : { workspaceId: workspace_id }) })
      .pipe(answer(toListing("entries", toAuditEntryWire))),
}))

const operations = handlersOf("operations", ServiceOverviews, ({ get }) => ({
  find: () => get.pipe(answer(toOperationsWire)),
}))

const jobs = handlersOf("jobs", DeadJobs, (dead) => ({
  list: ({ query: { state: _dead, ...by } }) => dead.list(by).pipe(answer(toListing("jobs", toDeadJobWire))),
  requeue: ({ params: { job_id } }) => dead.requeue(job_id).pipe(answer(() => ({ job_id, state: "ready" as const }))),
  remove: ({ params }) => dead.abandon(params.job_id).pipe(nothing),
}))

const doctor = handlersOf("doctor", Doctor, ({ run }) => ({
  run: () => run.pipe(answer((findings) => ({ checks: findings.map(toCheckWire) }))),
}))

export const groups = Layer.mergeAll(
  workspaces,
  keys,
  members,
  invitations,
  domains,
  pageDomains,
  suppressions,
  contacts,
  auditLog,
  operations,
  jobs,
  doctor,
)
