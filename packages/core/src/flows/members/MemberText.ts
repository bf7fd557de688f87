// Rendering of a step's texts for one member.
import type { Contact } from "../../contacts/Contact.ts"
import { oneLine } from "../../rendering/Escapes.ts"
import type { MessageLinks } from "../../rendering/message/Message.ts"
import { fill, toMergeTemplate, Work } from "../../rendering/MergeTemplate.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"

export interface TextContext {
  readonly contact: Contact
  readonly tokens: FlowTokens
  readonly workspaceName: string
}

/** These texts are not sent as messages, so that link slots stay empty. */
const noLinks: MessageLinks = { token: () => "", click: () => "", open: "", unsubscribe: "", view: "" }

/** No limit: the texts of a step are short. */
const bytes_max = Infinity

/** Fills merge tokens and removes line breaks. */
export const textFor = ({ contact, tokens, workspaceName }: TextContext, text: string): string =>
  oneLine(
    fill(toMergeTemplate(text, "plain"), {
      contact,
      dynamic: tokens,
      workspaceName,
      links: noLinks,
      bytes_max,
      work: new Work(),
    }),
  )
