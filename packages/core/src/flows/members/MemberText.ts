// Texts of a flow's steps, as they read for one member.
import type { Contact } from "../../contacts/Contact.ts"
import { oneLine } from "../../rendering/Escapes.ts"
import type { MessageLinks } from "../../rendering/message/Message.ts"
import { fill, toMergeTemplate } from "../../rendering/MergeTemplate.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"

export interface Reader {
  readonly contact: Contact
  readonly tokens: FlowTokens
  readonly workspaceName: string
}

/** Nobody is sent anything yet, and so no address leads anywhere. */
const noLinks: MessageLinks = { token: () => "", click: () => "", open: "", unsubscribe: "", view: "" }

/** Tokens filled in, on one line. */
export const textFor = ({ contact, tokens, workspaceName }: Reader, text: string): string =>
  oneLine(fill(toMergeTemplate(text, "plain"), { contact, dynamic: tokens, workspaceName, links: noLinks }))
