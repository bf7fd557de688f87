// What parameters mean that several operations have. Where one means something of its own, its schema says so, and that
// counts; one that nobody describes fails a test.
import { type Json, isObject, listIn, objectIn, withOperations } from "./Json.ts"

const meanings: Readonly<Record<string, string>> = {
  asset_id: "Id of a file of the tent",
  blastId: "Id of a blast",
  bulkJobId: "Id of a bulk job, from the answer to the bulk creation",
  category:
    "Which recipients: all of the audience (`recipients`, the default), or those whose message was `sent`, `delivered`, `opened` …",
  contactId: "Id of a contact",
  contact_id: "Id of a contact",
  cursor: "`next_cursor` of the page before; left out, the first page",
  domain_id: "Id of a sending domain",
  email: "An email address, in any spelling",
  emailId: "Id of an email",
  exclude_unsubscribed: "Leaves out who has unsubscribed",
  exportId: "Id of an export, from the answer that began it",
  fieldDefinitionId: "Id of a custom field",
  flowId: "Id of a flow",
  generationId: "Id of a generation, from the answer that began it",
  import_run_id: "Id of an import's run, from the answer to its execution",
  key_id: "Id of an API key",
  kind: "Lists of this kind only",
  limit: "How many a page holds; 25 when it is left out",
  listId: "Id of a contact list",
  membershipId: "Id of a membership",
  only_unsubscribed: "Leaves out who has not unsubscribed",
  order: "Whether what comes first in the sort stands first (`asc`) or last (`desc`)",
  page: "Which page, from 1; left out, the first",
  page_domain_id: "Id of a page domain",
  phone: "A phone number, in any spelling; without a country code it is of the workspace's default country",
  search: "Text that is to occur, in any case; it is taken as it stands",
  session_id: "Id of an import session",
  sort: "What the entries are sorted by; those without a value stand last",
  sort_by: "What the entries are sorted by",
  sort_order: "Whether what comes first in the sort stands first (`asc`) or last (`desc`)",
  status: "Entries of this status only; `any` for all of them, where it is among the words",
  stepId: "Id of a step, as the flow has it",
  templateId: "Id of a template",
  tentId: "Id of a tent",
  updated_after: "Contacts that have changed after this moment",
  version: "Which version; left out, the current one",
  workspace_id: "Id of a workspace",
}

const own = (parameter: Json): unknown => parameter["description"] ?? objectIn(parameter, "schema")["description"]

const withMeaning = (parameter: unknown): unknown => {
  if (!isObject(parameter)) return parameter
  const description = own(parameter) ?? meanings[String(parameter["name"])]
  return description === undefined ? parameter : { ...parameter, description }
}

export const withMeanings = (description: Json): Json =>
  withOperations(description, (operation) => ({
    ...operation,
    ...("parameters" in operation ? { parameters: listIn(operation, "parameters").map(withMeaning) } : {}),
  }))
