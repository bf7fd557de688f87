// The calls of the editor, for all kinds of documents.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useDebouncedValue } from "@mantine/hooks"
import { useMemo } from "react"
import { useChanges } from "../../api/changes.ts"
import { queryOf } from "../../api/queries.ts"
import type { Content } from "../draft.ts"
import { type Answer, type Kind, toWritten } from "../written.ts"

/** The ids of the path, for each kind: emails and templates name theirs differently. */
export const paramsOf = (id: string) => ({ emailId: id, templateId: id })

interface Source {
  readonly queryKey: ReadonlyArray<unknown>
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Answer>
}

const sources: Readonly<Record<Kind, (id: string) => Source>> = {
  // The stream of changes writes to this key.
  emails: (id) => queryOf("emails", "find", { params: { emailId: id } }),
  emailTemplates: (id) => queryOf("emailTemplates", "find", { params: { templateId: id } }),
  tentTemplates: (id) => queryOf("tentTemplates", "find", { params: { templateId: id } }),
}

const poll_ms = 2_000

/** The document, kept current while the AI writes: emails by the stream of changes, templates by asking again. */
export const useWritten = (kind: Kind, id: string) => {
  const found = useQuery({
    ...sources[kind](id),
    select: toWritten,
    refetchInterval: ({ state: { data } }) =>
      kind !== "emails" && data?.latest_generation_status === "generating" ? poll_ms : false,
  })
  useChanges(kind === "emails" && found.data?.isGenerating === true ? [`email:${id}`] : [])
  return found
}

/** The HTML of a version with its design. */
export const designedOf = (kind: Kind, id: string, version: number) =>
  queryOf(kind, "designed", { params: paramsOf(id), query: { version } })

/** The HTML of a version. */
export const contentOf = (kind: Kind, id: string, version: number) =>
  queryOf(kind, "content", { params: paramsOf(id), query: { version } })

const rest_ms = 300
const cached_ms = 30_000

const valueOf = (text: string): string | null => (text.trim() === "" ? null : text)

/** The message as a contact would get it, after a short rest. Templates have none. */
export const useMessage = (kind: Kind, id: string, { fields, html }: Content, contactId: string | null) => {
  const { preview_text, subject } = fields
  const payload = useMemo(
    () => ({
      html,
      subject: valueOf(subject),
      preview_text: valueOf(preview_text),
      ...(contactId === null ? {} : { contact_id: contactId }),
    }),
    [html, subject, preview_text, contactId],
  )
  const [rested] = useDebouncedValue(payload, rest_ms)
  return useQuery({
    ...queryOf("emails", "previewUnsaved", { params: { emailId: id }, payload: rested }),
    enabled: kind === "emails" && rested.html.trim() !== "",
    placeholderData: keepPreviousData,
    gcTime: cached_ms,
  })
}

export const tokensQuery = queryOf("mergeTokens", "list", { query: {} })
