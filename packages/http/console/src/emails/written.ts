// What emails, email templates and tent templates have in common: their fields as a form has them, their state, their payloads.
import type { Email, EmailTemplate, TentTemplate } from "@tentpole/client"
import type { Tone } from "../parts/StatusBadge.tsx"

export type Kind = "emails" | "emailTemplates" | "tentTemplates"

export const headerNames = ["subject", "preview_text", "from_name", "from_address", "reply_to_email"] as const
export type HeaderName = (typeof headerNames)[number]

/** The name and the header. An empty text is no value. */
export type Fields = Readonly<Record<"name" | HeaderName, string>>

/** Characters of each field. */
export const lengths_max: Readonly<Record<keyof Fields, number>> = {
  name: 200,
  subject: 998,
  preview_text: 200,
  from_name: 200,
  from_address: 254,
  reply_to_email: 254,
}

/** The fields that each kind has. Templates of emails have no sender here: each email has its own. */
export const fieldsOf: Readonly<Record<Kind, ReadonlyArray<keyof Fields>>> = {
  emails: ["name", ...headerNames],
  emailTemplates: ["name", "subject", "preview_text"],
  tentTemplates: ["name"],
}

export type State = "generating" | "failed" | "changed" | "approved" | "draft"

export const stateTones: Readonly<Record<State, Tone>> = {
  generating: "busy",
  failed: "bad",
  changed: "warning",
  approved: "good",
  draft: "quiet",
}

export interface Written {
  readonly id: string
  /** The newest version; 0 while the AI writes the first. */
  readonly version: number
  readonly approvedVersion: number | null
  readonly state: State
  readonly isGenerating: boolean
  readonly updatedAt: string
  readonly createdByName: string
  /** The AI provider that wrote the version; null: a person. */
  readonly generatedBy: string | null
  readonly fields: Fields
}

export type Answer = Email | EmailTemplate | TentTemplate

const headerOf = (it: Answer): Partial<Record<HeaderName, string | null>> => {
  if ("email_id" in it) return it
  if (!("default_subject" in it)) return {}
  return {
    subject: it.default_subject,
    preview_text: it.default_preview_text,
    from_name: it.default_from_name,
    from_address: it.default_from_address,
    reply_to_email: it.default_reply_to_email,
  }
}

/** A version or a field was changed after the approval. */
const isChanged = (it: Answer): boolean =>
  it.status === "approved" &&
  ((it.approved_version ?? 0) < it.current_version || ("email_id" in it && it.changed_since_approval.length > 0))

export const stateOf = (it: Answer): State => {
  if (it.latest_generation_status !== "completed") {
    if (it.latest_generation_status === "generating") return "generating"
    if (it.current_version === 0) return "failed"
  }
  return isChanged(it) ? "changed" : it.status
}

export const toWritten = (it: Answer): Written => {
  const header = headerOf(it)
  return {
    id: "email_id" in it ? it.email_id : it.template_id,
    version: it.current_version,
    approvedVersion: it.approved_version,
    state: stateOf(it),
    isGenerating: it.latest_generation_status === "generating",
    updatedAt: it.updated_at,
    createdByName: it.created_by_name,
    generatedBy: it.generated_by,
    fields: {
      name: it.name,
      subject: header.subject ?? "",
      preview_text: header.preview_text ?? "",
      from_name: header.from_name ?? "",
      from_address: header.from_address ?? "",
      reply_to_email: header.reply_to_email ?? "",
    },
  }
}

const apiName = (kind: Kind, name: keyof Fields): string =>
  name !== "name" && kind === "emailTemplates" ? `default_${name}` : name

/** The changed fields as the API takes them: an empty text clears a value. */
export const payloadOf = (kind: Kind, changed: Partial<Fields>): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    fieldsOf[kind].flatMap((name) => {
      const value = changed[name]
      return value === undefined ? [] : [[apiName(kind, name), value.trim() === "" ? null : value] as const]
    }),
  )

/** The field that the path of an issue names. */
export const fieldAt = (path: string): string => path.replace(/^default_/, "")
