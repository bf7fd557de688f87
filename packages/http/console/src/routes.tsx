// The screens of a workspace and their addresses below `/w/<slug>`. Each screen is loaded when it is opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router"
import type { ComponentType } from "react"
import { slug } from "./api/client.ts"
import { blastListSearch, blastSearch } from "./blasts/search.ts"
import { suppressionSearch } from "./delivery/search.ts"
import { emailSearch, templateSearch } from "./emails/search.ts"
import { flowListSearch, flowSearch, memberSearch } from "./flows/search.ts"
import { homeSearch } from "./home/home.ts"
import { newImportSearch, runSearch, sessionSearch } from "./imports/search.ts"
import { inboxSearch } from "./inbox/search.ts"
import { listSearch } from "./lists/search.ts"
import { messageSearch } from "./messages/search.ts"
import { auditSearch } from "./operations/search.ts"
import { NoScreen, ScreenProblem } from "./parts/Problem.tsx"
import { contactListSearch, listScreenSearch, rulesSearch } from "./segments/search.ts"
import { Shell } from "./shell/Shell.tsx"
import { bulkSearch, tentListSearch, tentSearch } from "./tents/search.ts"
import { requestSearch, topicSearch, trendSearch } from "./topics/search.ts"
import { catalogueSearch, endpointSearch } from "./webhooks/search.ts"
import { loadWords, preferredLanguage, type Words } from "./words/Words.tsx"

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NoScreen,
  errorComponent: ScreenProblem,
})

type Search = Readonly<Record<string, unknown>>

/**
 * A screen: the room of its words, its address, its module, and the name of its component there. `search` reads the search
 * parameters of the address; what it does not name is dropped. The module has no type here, because screens use the types of
 * the routes.
 */
const screen = <const Path extends string, Asked extends object = Record<never, never>>(
  room: keyof Words,
  path: Path,
  load: () => Promise<object>,
  name: string,
  search?: (raw: Search) => Asked,
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(async () => {
      const [module] = await Promise.all([load(), loadWords(preferredLanguage(), room)])
      return module as Record<string, ComponentType>
    }, name),
    validateSearch: (raw: Search): Asked => (search === undefined ? ({} as Asked) : search(raw)),
  })

const home = [screen("home", "/home", () => import("./home/Home.tsx"), "Home", homeSearch)] as const

const contacts = [
  screen("contacts", "/contacts", () => import("./contacts/ContactList.tsx"), "ContactList", contactListSearch),
  screen("contacts", "/contacts/$contactId", () => import("./contacts/Person.tsx"), "Person"),
] as const

const lists = [
  screen("lists", "/lists", () => import("./lists/ListList.tsx"), "ListList", listSearch),
  screen("lists", "/lists/$listId", () => import("./lists/List.tsx"), "List", listScreenSearch),
  screen("segments", "/lists/new", () => import("./segments/NewSegment.tsx"), "NewSegment", rulesSearch),
] as const

const topics = [
  screen("topics", "/topics", () => import("./topics/TopicList.tsx"), "TopicList", topicSearch),
  screen("topics", "/topics/requests", () => import("./topics/requests/RequestList.tsx"), "RequestList", requestSearch),
  screen("topics", "/topics/$topicId", () => import("./topics/Topic.tsx"), "Topic", trendSearch),
] as const

const imports = [
  screen("imports", "/imports", () => import("./imports/ImportList.tsx"), "ImportList"),
  screen("imports", "/imports/new", () => import("./imports/NewImport.tsx"), "NewImport", newImportSearch),
  screen(
    "imports",
    "/imports/sessions/$sessionId",
    () => import("./imports/session/ImportSession.tsx"),
    "ImportSession",
    sessionSearch,
  ),
  screen("imports", "/imports/$runId", () => import("./imports/run/ImportRun.tsx"), "ImportRun", runSearch),
] as const

const inbox = [
  screen("inbox", "/inbox", () => import("./inbox/InboxList.tsx"), "InboxList", inboxSearch),
  screen("inbox", "/inbox/$messageId", () => import("./inbox/Message.tsx"), "Message"),
] as const

const blasts = [
  screen("blasts", "/blasts", () => import("./blasts/BlastList.tsx"), "BlastList", blastListSearch),
  screen("blasts", "/blasts/$blastId", () => import("./blasts/Blast.tsx"), "Blast", blastSearch),
] as const

const emails = [
  screen("emails", "/emails", () => import("./emails/EmailList.tsx"), "EmailList", emailSearch),
  screen("emails", "/emails/$emailId", () => import("./emails/Email.tsx"), "Email"),
  screen("emails", "/templates", () => import("./templates/TemplateList.tsx"), "TemplateList", templateSearch),
  screen("emails", "/templates/emails/$templateId", () => import("./templates/Template.tsx"), "EmailTemplate"),
  screen("emails", "/templates/tents/$templateId", () => import("./templates/Template.tsx"), "TentTemplate"),
] as const

const flows = [
  screen("flows", "/flows", () => import("./flows/FlowList.tsx"), "FlowList", flowListSearch),
  screen("flows", "/flows/$flowId", () => import("./flows/Flow.tsx"), "Flow", flowSearch),
  screen("flows", "/flows/$flowId/members", () => import("./flows/members/Members.tsx"), "Members", memberSearch),
  screen("flows", "/flows/$flowId/members/$membershipId", () => import("./flows/members/Membership.tsx"), "Membership"),
] as const

const delivery = [
  screen("delivery", "/domains", () => import("./delivery/DomainList.tsx"), "DomainList"),
  screen("delivery", "/domains/$domainId", () => import("./delivery/Domain.tsx"), "Domain"),
  screen(
    "delivery",
    "/suppressions",
    () => import("./delivery/SuppressionList.tsx"),
    "SuppressionList",
    suppressionSearch,
  ),
] as const

const operations = [
  screen("operations", "/operations", () => import("./operations/state/Operations.tsx"), "Operations"),
  screen("operations", "/workspaces", () => import("./operations/workspaces/Workspaces.tsx"), "Workspaces"),
  screen("operations", "/audit", () => import("./operations/audit/AuditList.tsx"), "AuditList", auditSearch),
] as const

const settings = [
  screen("settings", "/settings/workspace", () => import("./settings/WorkspaceSettings.tsx"), "WorkspaceSettings"),
  screen("settings", "/settings/sender", () => import("./settings/SenderSettings.tsx"), "SenderSettings"),
  screen("settings", "/settings/brand", () => import("./settings/BrandSettings.tsx"), "BrandSettings"),
  screen("settings", "/settings/consent", () => import("./settings/ConsentSettings.tsx"), "ConsentSettings"),
  screen("settings", "/settings/fields", () => import("./settings/fields/FieldList.tsx"), "FieldList"),
  screen("settings", "/settings/limits", () => import("./settings/LimitSettings.tsx"), "LimitSettings"),
  screen("settings", "/settings/members", () => import("./settings/members/MemberList.tsx"), "MemberList"),
  screen("settings", "/settings/keys", () => import("./settings/keys/KeyList.tsx"), "KeyList"),
  screen("account", "/settings/account", () => import("./account/Account.tsx"), "Account"),
] as const

const settingsStart = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  beforeLoad: () => {
    redirect({ to: "/settings/workspace", throw: true })
  },
})

const tents = [
  screen("tents", "/tents", () => import("./tents/TentList.tsx"), "TentList", tentListSearch),
  screen("tents", "/tents/bulk", () => import("./tents/bulk/Bulk.tsx"), "Bulk", bulkSearch),
  screen("tents", "/tents/$tentId", () => import("./tents/Tent.tsx"), "Tent", tentSearch),
] as const

const messages = [
  screen("messages", "/messages", () => import("./messages/MessageList.tsx"), "MessageList", messageSearch),
  screen("messages", "/messages/$messageId", () => import("./messages/Message.tsx"), "Message"),
] as const

const webhooks = [
  screen("webhooks", "/webhooks", () => import("./webhooks/EndpointList.tsx"), "EndpointList"),
  screen(
    "webhooks",
    "/webhooks/events",
    () => import("./webhooks/catalogue/EventCatalogue.tsx"),
    "EventCatalogue",
    catalogueSearch,
  ),
  screen(
    "webhooks",
    "/webhooks/$endpointId",
    () => import("./webhooks/endpoint/Endpoint.tsx"),
    "Endpoint",
    endpointSearch,
  ),
  screen(
    "webhooks",
    "/webhooks/$endpointId/deliveries/$deliveryId",
    () => import("./webhooks/log/Delivery.tsx"),
    "Delivery",
  ),
] as const

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    redirect({ to: "/home", throw: true })
  },
})

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    ...home,
    ...contacts,
    ...lists,
    ...topics,
    ...imports,
    ...blasts,
    ...flows,
    ...emails,
    ...tents,
    ...inbox,
    ...delivery,
    ...messages,
    ...webhooks,
    ...operations,
    settingsStart,
    ...settings,
  ]),
  basepath: `/w/${slug}`,
  // Search parameters that a screen does not name stay out of its requests, which would be refused.
  search: { strict: true },
  defaultPreload: "intent",
  defaultPendingMs: 150,
  scrollRestoration: true,
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
