// Names of what steps and triggers refer to by their ids: emails, templates, lists and pages.
import { useQueries } from "@tanstack/react-query"
import { queryOf } from "../../api/queries.ts"
import type { Step, Structure, Trigger } from "./steps.ts"

const current_ms = 60_000

type Referred = readonly [kind: "emails" | "emailTemplates" | "tentTemplates" | "lists" | "tents", id: string]

const referred = (kind: Referred[0], id: string | null | undefined): ReadonlyArray<Referred> =>
  id === null || id === undefined ? [] : [[kind, id]]

const byStep = (step: Step): ReadonlyArray<Referred> => {
  switch (step.type) {
    case "send_email":
      return referred("emails", step.email_id)
    case "create_email":
      return referred("emailTemplates", step.template_id)
    case "create_tent":
      return referred("tentTemplates", step.template_id)
    default:
      return []
  }
}

const byTrigger = (trigger: Trigger): ReadonlyArray<Referred> => {
  switch (trigger.type) {
    case "added_to_static_list":
    case "removed_from_static_list":
      return referred("lists", trigger.list_id)
    case "form_submitted":
      return referred("tents", trigger.tent_id)
    default:
      return []
  }
}

interface Source {
  readonly queryKey: ReadonlyArray<unknown>
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<{ readonly name: string }>
}

const sourceOf = ([kind, id]: Referred): Source => {
  switch (kind) {
    case "emails":
      return queryOf(kind, "find", { params: { emailId: id } })
    case "emailTemplates":
    case "tentTemplates":
      return queryOf(kind, "find", { params: { templateId: id } })
    case "lists":
      return queryOf(kind, "find", { params: { listId: id } })
    case "tents":
      return queryOf(kind, "show", { params: { tentId: id } })
  }
}

export type Names = Readonly<Record<string, string>>

/** Names by id. What was deleted has none. */
export const useNames = ({ steps, triggers }: Structure): Names => {
  const all = [...steps.flatMap(byStep), ...triggers.flatMap(byTrigger)]
  const unique = [...new Map(all.map((each) => [each.join(" "), each])).values()]
  return useQueries({
    queries: unique.map((each) => ({ ...sourceOf(each), staleTime: current_ms })),
    combine: (found) =>
      Object.fromEntries(
        unique.flatMap(([, id], index) => {
          const name = found[index]?.data?.name
          return name === undefined ? [] : [[id, name]]
        }),
      ),
  })
}
