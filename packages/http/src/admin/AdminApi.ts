// The administration's API, as a value: what is served under /admin/v1, described at /admin/v1/openapi.json.
import { ApiKeyId, ContactId, DomainId, PageDomainId, WorkspaceId } from "@tentpole/core/Ids"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../Errors.ts"
import { Validation } from "../Validation.ts"
import { cursorQuery, Text } from "../Wire.ts"
import { AdminAuth } from "./AdminAuth.ts"
import {
  AuditEntryWire,
  CheckedDomainWire,
  CreateKey,
  DomainWire,
  KeyWire,
  listing,
  NamedDomain,
  NewKeyWire,
  PageDomainWire,
  Suppress,
  SuppressionWire,
} from "./AdminWire.ts"
import { ContactExportWire } from "./ContactExportWire.ts"
import { CreateWorkspace, UpdateWorkspace, WorkspaceWire } from "./WorkspaceWire.ts"

const all = "/admin/v1/workspaces"
const one = `${all}/:workspace_id` as const
const params = { workspace_id: WorkspaceId }
const query = cursorQuery
const listed = errors("invalid_cursor", "not_found")
const created = HttpApiSchema.status(201)
const gone = HttpApiSchema.NoContent
const removed = { success: gone, error: errors("not_found") }

const workspaces = HttpApiGroup.make("workspaces")
  .add(
    HttpApiEndpoint.get("list", all, {
      query,
      success: listing({ workspaces: Schema.Array(WorkspaceWire) }),
      error: errors("invalid_cursor"),
    }),
  )
  .add(
    HttpApiEndpoint.post("create", all, {
      payload: CreateWorkspace,
      success: WorkspaceWire.pipe(created),
      error: errors("validation_failed", "conflict"),
    }),
  )
  .add(HttpApiEndpoint.get("find", one, { params, success: WorkspaceWire, error: errors("not_found") }))
  .add(
    HttpApiEndpoint.patch("update", one, {
      params,
      payload: UpdateWorkspace,
      success: WorkspaceWire,
      error: errors("validation_failed", "not_found", "conflict"),
    }),
  )
  .add(
    HttpApiEndpoint.delete("remove", one, {
      params,
      query: { confirm: Text(63, 1).annotate({ description: "The workspace's slug" }) },
      success: Schema.Struct({ workspace_id: WorkspaceId, status: Schema.Literal("erasing") }).pipe(
        HttpApiSchema.status(202),
      ),
      error: errors("validation_failed", "not_found"),
    }).annotate(
      OpenApi.Description,
      "Ends the workspace at once: its keys open nothing, its pages are gone, nothing of it is sent. A worker then erases all of it, files included. It can't be taken back; the audit log stays.",
    ),
  )

const keys = HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.get("list", `${one}/keys`, {
      params,
      query,
      success: listing({ keys: Schema.Array(KeyWire) }),
      error: listed,
    }),
  )
  .add(
    HttpApiEndpoint.post("create", `${one}/keys`, {
      params,
      payload: CreateKey,
      success: NewKeyWire.pipe(created),
      error: errors("validation_failed", "not_found"),
    }),
  )
  .add(HttpApiEndpoint.delete("revoke", `${one}/keys/:key_id`, { params: { ...params, key_id: ApiKeyId }, ...removed }))

const named = { ...params, domain_id: DomainId }

const domains = HttpApiGroup.make("domains")
  .add(
    HttpApiEndpoint.get("list", `${one}/domains`, {
      params,
      query,
      success: listing({ domains: Schema.Array(DomainWire) }),
      error: listed,
    }),
  )
  .add(
    HttpApiEndpoint.post("add", `${one}/domains`, {
      params,
      payload: NamedDomain,
      success: CheckedDomainWire.pipe(created),
      error: errors("validation_failed", "not_found"),
    }),
  )
  .add(
    HttpApiEndpoint.get("find", `${one}/domains/:domain_id`, {
      params: named,
      success: CheckedDomainWire,
      error: errors("not_found"),
    }),
  )
  .add(
    HttpApiEndpoint.post("verify", `${one}/domains/:domain_id/verify`, {
      params: named,
      success: CheckedDomainWire,
      error: errors("not_found", "unavailable"),
    }),
  )
  .add(HttpApiEndpoint.delete("remove", `${one}/domains/:domain_id`, { params: named, ...removed }))

const pageDomains = HttpApiGroup.make("pageDomains")
  .add(
    HttpApiEndpoint.get("list", `${one}/page-domains`, {
      params,
      query,
      success: listing({ page_domains: Schema.Array(PageDomainWire) }),
      error: listed,
    }),
  )
  .add(
    HttpApiEndpoint.post("add", `${one}/page-domains`, {
      params,
      payload: NamedDomain,
      success: PageDomainWire.pipe(created),
      error: errors("validation_failed", "not_found", "conflict"),
    }),
  )
  .add(
    HttpApiEndpoint.delete("remove", `${one}/page-domains/:page_domain_id`, {
      params: { ...params, page_domain_id: PageDomainId },
      ...removed,
    }),
  )

const suppressions = HttpApiGroup.make("suppressions")
  .add(
    HttpApiEndpoint.get("list", `${one}/suppressions`, {
      params,
      query,
      success: listing({ suppressions: Schema.Array(SuppressionWire) }),
      error: listed,
    }),
  )
  .add(
    HttpApiEndpoint.post("add", `${one}/suppressions`, {
      params,
      payload: Suppress,
      success: SuppressionWire.pipe(created),
      error: errors("validation_failed", "not_found"),
    }).annotate(
      OpenApi.Description,
      "A weaker reason (`unsubscribe`, `bounce`, `complaint`, `manual`, from the weakest) never takes the place of a stronger one: the answer says what holds.",
    ),
  )
  .add(
    HttpApiEndpoint.delete("remove", `${one}/suppressions/:email`, {
      params: { ...params, email: Text(1000, 1) },
      ...removed,
    }).annotate(
      OpenApi.Description,
      "Takes the suppression back. What the contact itself says (unsubscribed, an invalid address) stays as it is.",
    ),
  )

const person = { params: { ...params, contact_id: ContactId } }

const contacts = HttpApiGroup.make("contacts")
  .add(
    HttpApiEndpoint.get("export", `${one}/contacts/:contact_id/export`, {
      ...person,
      success: ContactExportWire,
      error: errors("not_found"),
    }).annotate(
      OpenApi.Description,
      "Everything that is kept of a contact, row by row under the names of the tables: what a person may ask for.",
    ),
  )
  .add(
    HttpApiEndpoint.delete("erase", `${one}/contacts/:contact_id`, {
      ...person,
      success: gone,
      error: errors("not_found", "conflict", "unavailable"),
    }).annotate(
      OpenApi.Description,
      "Deletes a contact and forgets it: its addresses and numbers, former ones too, then stand in no table and no file. Suppressions of them go as well. 409 while a message to it is leaving, an export is being written, or an import that names it runs: try again in a minute.",
    ),
  )

const auditLog = HttpApiGroup.make("auditLog").add(
  HttpApiEndpoint.get("list", "/admin/v1/audit-log", {
    query: { ...cursorQuery, workspace_id: Schema.optionalKey(WorkspaceId) },
    success: listing({ entries: Schema.Array(AuditEntryWire) }),
    error: errors("invalid_cursor"),
  }).annotate(OpenApi.Description, "Newest first. Deleted workspaces stay in it: an unknown id has no entries."),
)

export const AdminApi = HttpApi.make("tentpole-admin")
  .add(workspaces)
  .add(keys)
  .add(domains)
  .add(pageDomains)
  .add(suppressions)
  .add(contacts)
  .add(auditLog)
  .middleware(Validation)
  .middleware(AdminAuth)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotate(OpenApi.Title, "Tentpole Administration API")
  .annotate(OpenApi.Version, "1.0.0")
