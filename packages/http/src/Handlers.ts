// The handlers of every group of the API.
import { Layer, type Redacted } from "effect"
import * as Accounts from "./accounts/AccountsHandlers.ts"
import * as AdminAuth from "./admin/AdminAuth.ts"
import * as Admin from "./admin/AdminHandlers.ts"
import * as Analytics from "./api/traffic/AnalyticsHandlers.ts"
import * as Lists from "./api/lists/ListsHandlers.ts"
import * as Changes from "./api/changes/ChangesHandlers.ts"
import { WatchedValues } from "./api/changes/WatchedValues.ts"
import * as Contacts from "./api/contacts/ContactsHandlers.ts"
import * as Blasts from "./api/blasts/BlastsHandlers.ts"
import * as ConsentExports from "./api/exports/ConsentExportsHandlers.ts"
import * as Flows from "./api/flows/FlowsHandlers.ts"
import * as FlowMembers from "./api/flows/FlowMembersHandlers.ts"
import * as Templates from "./api/templates/TemplatesHandlers.ts"
import * as Emails from "./api/emails/EmailsHandlers.ts"
import * as Forms from "./api/forms/FormsHandlers.ts"
import * as Imports from "./api/imports/ImportsHandlers.ts"
import * as Subscriptions from "./api/subscriptions/SubscriptionsHandlers.ts"
import * as Suppressions from "./api/sending/SuppressionsHandlers.ts"
import * as EmailMessages from "./api/messages/EmailMessagesHandlers.ts"
import * as Outbox from "./api/outbox/OutboxHandlers.ts"
import * as Segments from "./api/segments/SegmentsHandlers.ts"
import * as Assets from "./api/tents/assets/AssetsHandlers.ts"
import * as Tents from "./api/tents/TentsHandlers.ts"
import * as Topics from "./api/topics/TopicsHandlers.ts"
import * as Events from "./api/webhooks/EventsHandlers.ts"
import * as Webhooks from "./api/webhooks/WebhookHandlers.ts"
import * as Workspace from "./api/workspaces/WorkspaceHandlers.ts"
import * as Authentication from "./edge/Authentication.ts"
import * as Repetition from "./edge/RepeatedRequests.ts"
import * as Validation from "./edge/Validation.ts"

export const middlewares = Layer.mergeAll(Authentication.layer, Repetition.layer, Validation.layer)

const groups = Layer.mergeAll(
  Imports.layer,
  Analytics.layer,
  Assets.layer,
  Blasts.layer,
  Changes.layer.pipe(Layer.provide(WatchedValues.layer)),
  Tents.layer,
  Contacts.layer,
  ConsentExports.layer,
  Templates.layer,
  Emails.layer,
  EmailMessages.layer,
  Events.layer,
  Forms.layer,
  Flows.layer,
  FlowMembers.layer,
  Lists.layer,
  Outbox.layer,
  Segments.layer,
  Subscriptions.layer,
  Suppressions.layer,
  Topics.layer,
  Webhooks.layer,
  Workspace.layer,
)

export const adminHandlers = (token: Redacted.Redacted) =>
  Admin.groups.pipe(Layer.provideMerge(Layer.merge(AdminAuth.layer(token), Validation.layer)))

/** Handlers for the console's listener, which authenticates sessions. Groups of the two APIs have the same names. */
export const consoleHandlers = groups.pipe(Layer.provideMerge(Layer.merge(Repetition.layer, Validation.layer)))
export const consoleAdminHandlers = Admin.groups.pipe(Layer.provideMerge(Validation.layer))

export const accountsHandlers = Accounts.groups.pipe(Layer.provideMerge(Validation.layer))

export const handlers = groups.pipe(Layer.provideMerge(middlewares))
