// The administration API: served under /admin/v1 and described at /admin/v1/openapi.json.
import { auditActions } from "@tentpole/core/kernel/changes/AuditLog"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApi, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Endpoint from "../Endpoint.ts"
import { cursorQuery, DayOrInstant, listing, oneOf, Text } from "../Wire.ts"
import { completeDocument, documentOrigin } from "../description/Description.ts"
import { Validation } from "../edge/Validation.ts"
import { addressed, Suppress, SuppressionWire } from "../api/sending/SuppressionsApi.ts"
import { WorkspaceWire } from "../api/workspaces/WorkspaceWire.ts"
import { AdminAuth } from "./AdminAuth.ts"
import { doctor, jobs, operations } from "./InstallationApi.ts"
import {
  AuditEntryWire,
  CheckedDomainWire,
  ContactExportWire,
  CreateKey,
  CreateWorkspace,
  DomainWire,
  InvitationWire,
  Invite,
  KeyWire,
  MemberWire,
  NamedDomain,
  NewInvitationWire,
  NewKeyWire,
  PageDomainWire,
  UpdateMember,
  UpdateWorkspace,
} from "./AdminWire.ts"

const all = "/admin/v1/workspaces"
const one = `${all}/:workspace_id` as const
const query = cursorQuery
const listed = ["invalid_cursor", "not_found"] as const
const created = HttpApiSchema.status(201)

const workspaces = Endpoint.group("workspaces", "Workspaces with their plans, credits and defaults.").add(
  Endpoint.get("list", all, {
    needs: "operator",
    summary: "List workspaces",
    description: "Returns all workspaces of the installation, the newest first.",
    query,
    success: listing({ workspaces: Schema.Array(WorkspaceWire) }),
    errors: ["invalid_cursor"],
  }),
  Endpoint.post("create", all, {
    needs: "operator",
    summary: "Create a workspace",
    description:
      "Creates a workspace with its system lists. It has no API key yet: create one with `POST /admin/v1/workspaces/{workspace_id}/keys`.",
    payload: CreateWorkspace,
    success: WorkspaceWire.pipe(created),
    errors: ["validation_failed", "conflict"],
  }),
  Endpoint.get("find", one, {
    needs: "owner",
    summary: "Get a workspace",
    description: "Returns one workspace with its plan, credits, defaults, brand and limits.",
    success: WorkspaceWire,
  }),
  Endpoint.patch("update", one, {
    needs: "owner",
    summary: "Update a workspace",
    description:
      "Changes the fields of the body. Omitted fields stay unchanged. `plan`, `credits` and `sending_limits` need the role `operator`.",
    payload: UpdateWorkspace,
    success: WorkspaceWire,
    errors: ["validation_failed", "not_found", "conflict"],
  }),
  Endpoint.delete("remove", one, {
    needs: "owner",
    recentSignIn: true,
    summary: "Delete a workspace",
    description:
      "Disables the workspace at once: its keys are refused, its pages return 404 and nothing is sent. A worker then erases all of its data, files included. This cannot be undone. Its audit log entries are not deleted.",
    query: { confirm: Text(63, 1).annotate({ description: "The workspace's slug" }) },
    success: Schema.Struct({ workspace_id: WorkspaceId, status: Schema.Literal("erasing") }).pipe(
      HttpApiSchema.status(202),
    ),
    errors: ["validation_failed", "not_found"],
  }),
)

const keys = Endpoint.group("keys", "API keys of a workspace.").add(
  Endpoint.get("list", `${one}/keys`, {
    needs: "owner",
    summary: "List a workspace's API keys",
    description:
      "Returns the API keys, including revoked ones, with their first characters and the time of their last use. The keys themselves cannot be read.",
    query,
    success: listing({ keys: Schema.Array(KeyWire) }),
    errors: listed,
  }),
  Endpoint.post("create", `${one}/keys`, {
    needs: "owner",
    recentSignIn: true,
    summary: "Create an API key",
    description: "Creates an API key with a role. `api_key` is the key itself: it is returned only in this response.",
    payload: CreateKey,
    success: NewKeyWire.pipe(created),
    errors: ["validation_failed", "not_found"],
  }),
  Endpoint.delete("revoke", `${one}/keys/:key_id`, {
    needs: "owner",
    recentSignIn: true,
    summary: "Revoke an API key",
    description: "Revokes the key at once. This cannot be undone.",
  }),
)

const members = Endpoint.group("members", "The people of a workspace and their roles.").add(
  Endpoint.get("list", `${one}/members`, {
    needs: "owner",
    summary: "List members",
    description: "Returns the members of the workspace with their roles, the newest first.",
    query,
    success: listing({ members: Schema.Array(MemberWire) }),
    errors: listed,
  }),
  Endpoint.patch("update", `${one}/members/:user_id`, {
    needs: "owner",
    recentSignIn: true,
    summary: "Change a member's role",
    description: "Changes what the member can do. The last owner stays an owner.",
    payload: UpdateMember,
    success: MemberWire,
    errors: ["validation_failed", "not_found", "last_owner"],
  }),
  Endpoint.delete("remove", `${one}/members/:user_id`, {
    needs: "owner",
    recentSignIn: true,
    summary: "Remove a member",
    description: "Removes the user from the workspace at once. The last owner can't be removed.",
    errors: ["not_found", "last_owner"],
  }),
)

const invitations = Endpoint.group("invitations", "Links that make people members of a workspace.").add(
  Endpoint.get("list", `${one}/invitations`, {
    needs: "owner",
    summary: "List invitations",
    description: "Returns the invitations that are not used yet and have not expired, the newest first.",
    query,
    success: listing({ invitations: Schema.Array(InvitationWire) }),
    errors: listed,
  }),
  Endpoint.post("create", `${one}/invitations`, {
    needs: "owner",
    recentSignIn: true,
    summary: "Invite a person",
    description:
      "Creates a link that makes the person with this address a member, once, within seven days. `url` is returned only in this response. No mail is sent: hand the link over yourself.",
    payload: Invite,
    success: NewInvitationWire.pipe(created),
    errors: ["validation_failed", "not_found"],
  }),
  Endpoint.delete("remove", `${one}/invitations/:invitation_id`, {
    needs: "owner",
    summary: "Withdraw an invitation",
    description: "Makes the link of the invitation invalid.",
  }),
)

const domains = Endpoint.group("domains", "Domains that a workspace sends email from.").add(
  Endpoint.get("list", `${one}/domains`, {
    needs: "owner",
    summary: "List sending domains",
    description: "Returns the sending domains of the workspace with their verification status.",
    query,
    success: listing({ domains: Schema.Array(DomainWire) }),
    errors: listed,
  }),
  Endpoint.post("add", `${one}/domains`, {
    needs: "owner",
    summary: "Add a sending domain",
    description: "Creates a DKIM key pair and returns the DNS records to set. The domain can send once it is verified.",
    payload: NamedDomain,
    success: CheckedDomainWire.pipe(created),
    errors: ["validation_failed", "not_found", "domain_exists"],
  }),
  Endpoint.get("find", `${one}/domains/:domain_id`, {
    needs: "owner",
    summary: "Get a sending domain",
    description: "Returns the domain with its DNS records and the result of the last check of each.",
    success: CheckedDomainWire,
  }),
  Endpoint.post("verify", `${one}/domains/:domain_id/verify`, {
    needs: "owner",
    summary: "Verify a sending domain",
    description: "Looks up the DNS records now. The domain is verified if the DKIM record is found.",
    success: CheckedDomainWire,
    errors: ["not_found", "unavailable"],
  }),
  Endpoint.delete("remove", `${one}/domains/:domain_id`, {
    needs: "owner",
    summary: "Remove a sending domain",
    description:
      "Removes the domain. Emails with a sender on it can no longer be approved, and blasts that use one fail.",
  }),
)

const pageDomains = Endpoint.group("pageDomains", "Custom domains for the pages of a workspace.").add(
  Endpoint.get("list", `${one}/page-domains`, {
    needs: "owner",
    summary: "List page domains",
    description: "Returns the custom domains under which the pages of the workspace are served.",
    query,
    success: listing({ page_domains: Schema.Array(PageDomainWire) }),
    errors: listed,
  }),
  Endpoint.post("add", `${one}/page-domains`, {
    needs: "owner",
    summary: "Add a page domain",
    description:
      "Serves the pages of the workspace under this domain. Its DNS must point to this service. A domain belongs to one workspace.",
    payload: NamedDomain,
    success: PageDomainWire.pipe(created),
    errors: ["validation_failed", "not_found", "conflict"],
  }),
  Endpoint.delete("remove", `${one}/page-domains/:page_domain_id`, {
    needs: "owner",
    summary: "Remove a page domain",
    description: "Removes the domain: requests to it return 404. The pages stay available at their other addresses.",
  }),
)

const suppressions = Endpoint.group("suppressions", "Addresses that get no messages.").add(
  Endpoint.get("list", `${one}/suppressions`, {
    needs: "owner",
    summary: "List suppressed addresses",
    description: "Returns the addresses that get no messages, with the reason of each.",
    query,
    success: listing({ suppressions: Schema.Array(SuppressionWire) }),
    errors: listed,
  }),
  Endpoint.post("add", `${one}/suppressions`, {
    needs: "owner",
    summary: "Suppress an address",
    description:
      "Suppresses an address. A weaker reason does not replace a stronger one; from weakest to strongest: `unsubscribe`, `bounce`, `complaint`, `manual`. The response shows the reason that applies.",
    payload: Suppress,
    success: SuppressionWire.pipe(created),
    errors: ["validation_failed", "not_found"],
  }),
  Endpoint.delete("remove", `${one}/suppressions/:email`, {
    needs: "owner",
    summary: "Remove a suppression",
    description: "Removes the suppression. The contact's own state (unsubscribed, invalid address) does not change.",
    params: { workspace_id: WorkspaceId, ...addressed },
  }),
)

const contacts = Endpoint.group("contacts", "Export and erasure of the personal data of a contact.").add(
  Endpoint.get("export", `${one}/contacts/:contact_id/export`, {
    needs: "owner",
    summary: "Export all data of a contact",
    description:
      "Returns all stored data of a contact, row by row under the names of the tables, for example to answer a data subject access request.",
    success: ContactExportWire,
  }),
  Endpoint.delete("erase", `${one}/contacts/:contact_id`, {
    needs: "owner",
    recentSignIn: true,
    summary: "Erase a contact",
    description:
      "Deletes a contact and its personal data: current and former addresses and numbers are removed from all tables and files, suppressions included. Returns 409 while a message to the contact is being sent, an export is being written, or an import that contains it is running: try again in a minute.",
    errors: ["not_found", "contact_busy", "unavailable"],
  }),
)

const auditLog = Endpoint.group("auditLog", "Log of administrative changes.").add(
  Endpoint.get("list", "/admin/v1/audit-log", {
    needs: "owner",
    summary: "List the audit log",
    description:
      "Returns audit log entries, the newest first. Entries of deleted workspaces are included. An unknown workspace id returns no entries.",
    query: {
      ...cursorQuery,
      workspace_id: Schema.optionalKey(WorkspaceId),
      actor: Schema.optionalKey(Text(200, 1)),
      action: Schema.optionalKey(oneOf(...auditActions)),
      from: Schema.optionalKey(DayOrInstant).annotate({ description: "Returns only entries from this time on" }),
      to: Schema.optionalKey(DayOrInstant).annotate({ description: "Returns only entries before this time" }),
    },
    success: listing({ entries: Schema.Array(AuditEntryWire) }),
    errors: ["invalid_cursor"],
  }),
)

export const AdminApi = HttpApi.make("tentpole-admin")
  .add(workspaces)
  .add(keys)
  .add(members)
  .add(invitations)
  .add(domains)
  .add(pageDomains)
  .add(suppressions)
  .add(contacts)
  .add(auditLog)
  .add(operations)
  .add(jobs)
  .add(doctor)
  .middleware(Validation)
  .middleware(AdminAuth)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotate(OpenApi.Title, "Tentpole Administration API")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(
    OpenApi.Description,
    "Workspaces and their settings, for the holder of the `ADMIN_TOKEN`. Every request needs the header `Authorization: Bearer <ADMIN_TOKEN>`. Errors have the same form as in the API of tenants. Listings are paged with `cursor`.",
  )
  .annotateMerge(documentOrigin)
  .annotate(OpenApi.Transform, completeDocument({ limited: false }))
