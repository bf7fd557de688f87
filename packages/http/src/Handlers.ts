// The handlers of every group of the API.
import { Layer } from "effect"
import * as Analytics from "./api/analytics/AnalyticsHandlers.ts"
import * as ContactFields from "./api/contact-fields/ContactFieldsHandlers.ts"
import * as ListExports from "./api/contact-lists/ListExportsHandlers.ts"
import * as Lists from "./api/contact-lists/ListsHandlers.ts"
import * as Contacts from "./api/contacts/ContactsHandlers.ts"
import * as BlastExports from "./api/email-blasts/BlastExportsHandlers.ts"
import * as Blasts from "./api/email-blasts/BlastsHandlers.ts"
import * as Flows from "./api/email-flows/FlowsHandlers.ts"
import * as FlowMembers from "./api/email-flow-members/FlowMembersHandlers.ts"
import * as EmailTemplates from "./api/email-templates/EmailTemplatesHandlers.ts"
import * as Emails from "./api/emails/EmailsHandlers.ts"
import * as Imports from "./api/imports/ImportsHandlers.ts"
import * as Segments from "./api/segments/SegmentsHandlers.ts"
import * as TentTemplates from "./api/tent-templates/TentTemplatesHandlers.ts"
import * as Tents from "./api/tents/TentsHandlers.ts"
import * as Auth from "./Auth.ts"
import * as Validation from "./Validation.ts"

/** What every group needs around it. */
export const middlewares = Layer.mergeAll(Auth.layer, Validation.layer)

/** One line a group. */
const groups = Layer.mergeAll(
  Imports.layer,
  Analytics.layer,
  BlastExports.layer,
  Blasts.layer,
  TentTemplates.layer,
  Tents.layer,
  ContactFields.layer,
  Contacts.layer,
  EmailTemplates.layer,
  Emails.layer,
  Flows.layer,
  FlowMembers.layer,
  ListExports.layer,
  Lists.layer,
  Segments.layer,
)

export const handlers = groups.pipe(Layer.provideMerge(middlewares))
