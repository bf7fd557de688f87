// The administration's API, as a value: what is served under /admin/v1, described at /admin/v1/openapi.json.
import { ApiKeyId, ContactId, DomainId, PageDomainId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { administrationApi, described } from "../description/Description.ts"
import { errors } from "../edge/Errors.ts"
import { Validation } from "../edge/Validation.ts"
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
    })
      .annotate(OpenApi.Summary, "List workspaces")
      .annotate(OpenApi.Description, "Every workspace of the installation, the newest first."),
  )
  .add(
    HttpApiEndpoint.post("create", all, {
      payload: CreateWorkspace,
      success: WorkspaceWire.pipe(created),
      error: errors("validation_failed", "conflict"),
    })
      .annotate(OpenApi.Summary, "Create a workspace")
      .annotate(
        OpenApi.Description,
        "Makes a workspace with its system lists. It has no key yet: make one with `POST /admin/v1/workspaces/{workspace_id}/keys`.",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", one, { params, success: WorkspaceWire, error: errors("not_found") })
      .annotate(OpenApi.Summary, "Read a workspace")
      .annotate(OpenApi.Description, "One workspace with its plan, credits, defaults, brand and limits."),
  )
  .add(
    HttpApiEndpoint.patch("update", one, {
      params,
      payload: UpdateWorkspace,
      success: WorkspaceWire,
      error: errors("validation_failed", "not_found", "conflict"),
    })
      .annotate(OpenApi.Summary, "Edit a workspace")
      .annotate(OpenApi.Description, "Changes what the body names; what is left out stays as it is."),
  )
  .add(
    HttpApiEndpoint.delete("remove", one, {
      params,
      query: { confirm: Text(63, 1).annotate({ description: "The workspace's slug" }) },
      success: Schema.Struct({ workspace_id: WorkspaceId, status: Schema.Literal("erasing") }).pipe(
        HttpApiSchema.status(202),
      ),
      error: errors("validation_failed", "not_found"),
    })
      .annotate(OpenApi.Summary, "Delete a workspace")
      .annotate(
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
    })
      .annotate(OpenApi.Summary, "List a workspace's keys")
      .annotate(
        OpenApi.Description,
        "The keys with their first characters and when they were last used, revoked ones too. The keys themselves are shown to nobody.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", `${one}/keys`, {
      params,
      payload: CreateKey,
      success: NewKeyWire.pipe(created),
      error: errors("validation_failed", "not_found"),
    })
      .annotate(OpenApi.Summary, "Create a key")
      .annotate(
        OpenApi.Description,
        "Makes an API key. `api_key` is the key itself, shown in this answer and never again.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("revoke", `${one}/keys/:key_id`, { params: { ...params, key_id: ApiKeyId }, ...removed })
      .annotate(OpenApi.Summary, "Revoke a key")
      .annotate(OpenApi.Description, "The key opens nothing from now on. It can't be taken back."),
  )

const named = { ...params, domain_id: DomainId }

const domains = HttpApiGroup.make("domains")
  .add(
    HttpApiEndpoint.get("list", `${one}/domains`, {
      params,
      query,
      success: listing({ domains: Schema.Array(DomainWire) }),
      error: listed,
    })
      .annotate(OpenApi.Summary, "List sending domains")
      .annotate(OpenApi.Description, "The workspace's sending domains and whether they are verified."),
  )
  .add(
    HttpApiEndpoint.post("add", `${one}/domains`, {
      params,
      payload: NamedDomain,
      success: CheckedDomainWire.pipe(created),
      error: errors("validation_failed", "not_found"),
    })
      .annotate(OpenApi.Summary, "Add a sending domain")
      .annotate(
        OpenApi.Description,
        "Makes a pair of DKIM keys and shows the DNS records to set. It sends when it is verified.",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", `${one}/domains/:domain_id`, {
      params: named,
      success: CheckedDomainWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a sending domain")
      .annotate(OpenApi.Description, "The domain with its DNS records, and which of them were found at the last look."),
  )
  .add(
    HttpApiEndpoint.post("verify", `${one}/domains/:domain_id/verify`, {
      params: named,
      success: CheckedDomainWire,
      error: errors("not_found", "unavailable"),
    })
      .annotate(OpenApi.Summary, "Verify a sending domain")
      .annotate(
        OpenApi.Description,
        "Looks the DNS records up now. The domain is verified when the DKIM record is there.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("remove", `${one}/domains/:domain_id`, { params: named, ...removed })
      .annotate(OpenApi.Summary, "Remove a sending domain")
      .annotate(
        OpenApi.Description,
        "Nothing is sent from it any more: emails with a sender on it can't be approved, blasts with one fail.",
      ),
  )

const pageDomains = HttpApiGroup.make("pageDomains")
  .add(
    HttpApiEndpoint.get("list", `${one}/page-domains`, {
      params,
      query,
      success: listing({ page_domains: Schema.Array(PageDomainWire) }),
      error: listed,
    })
      .annotate(OpenApi.Summary, "List page domains")
      .annotate(OpenApi.Description, "The domains of the workspace's own under which its pages are served."),
  )
  .add(
    HttpApiEndpoint.post("add", `${one}/page-domains`, {
      params,
      payload: NamedDomain,
      success: PageDomainWire.pipe(created),
      error: errors("validation_failed", "not_found", "conflict"),
    })
      .annotate(OpenApi.Summary, "Add a page domain")
      .annotate(
        OpenApi.Description,
        "Serves the workspace's pages under this domain. Its DNS is to lead here; a domain belongs to one workspace.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("remove", `${one}/page-domains/:page_domain_id`, {
      params: { ...params, page_domain_id: PageDomainId },
      ...removed,
    })
      .annotate(OpenApi.Summary, "Remove a page domain")
      .annotate(
        OpenApi.Description,
        "The domain is answered with 404 from now on; the pages stay at their other addresses.",
      ),
  )

const suppressions = HttpApiGroup.make("suppressions")
  .add(
    HttpApiEndpoint.get("list", `${one}/suppressions`, {
      params,
      query,
      success: listing({ suppressions: Schema.Array(SuppressionWire) }),
      error: listed,
    })
      .annotate(OpenApi.Summary, "List suppressed addresses")
      .annotate(OpenApi.Description, "Addresses that are never mailed, and why."),
  )
  .add(
    HttpApiEndpoint.post("add", `${one}/suppressions`, {
      params,
      payload: Suppress,
      success: SuppressionWire.pipe(created),
      error: errors("validation_failed", "not_found"),
    })
      .annotate(OpenApi.Summary, "Suppress an address")
      .annotate(
        OpenApi.Description,
        "A weaker reason (`unsubscribe`, `bounce`, `complaint`, `manual`, from the weakest) never takes the place of a stronger one: the answer says what holds.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("remove", `${one}/suppressions/:email`, {
      params: { ...params, email: Text(1000, 1) },
      ...removed,
    })
      .annotate(OpenApi.Summary, "Take a suppression back")
      .annotate(
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
    })
      .annotate(OpenApi.Summary, "Export all that is kept of a contact")
      .annotate(
        OpenApi.Description,
        "Everything that is kept of a contact, row by row under the names of the tables: what a person may ask for.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("erase", `${one}/contacts/:contact_id`, {
      ...person,
      success: gone,
      error: errors("not_found", "conflict", "unavailable"),
    })
      .annotate(OpenApi.Summary, "Erase a contact")
      .annotate(
        OpenApi.Description,
        "Deletes a contact and forgets it: its addresses and numbers, former ones too, then stand in no table and no file. Suppressions of them go as well. 409 while a message to it is leaving, an export is being written, or an import that names it runs: try again in a minute.",
      ),
  )

const auditLog = HttpApiGroup.make("auditLog").add(
  HttpApiEndpoint.get("list", "/admin/v1/audit-log", {
    query: { ...cursorQuery, workspace_id: Schema.optionalKey(WorkspaceId) },
    success: listing({ entries: Schema.Array(AuditEntryWire) }),
    error: errors("invalid_cursor"),
  })
    .annotate(OpenApi.Summary, "Read the audit log")
    .annotate(OpenApi.Description, "Newest first. Deleted workspaces stay in it: an unknown id has no entries."),
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
  .annotate(OpenApi.Transform, described(administrationApi))
