// The types of a message, from the approved email to its bytes. An approved email is compiled once into encoded MIME
// segments with slots for merge values. A message is then a concatenation.
//
// `compile` (Compile.ts) returns the `CompiledEmail`, `render` (Render.ts) the `RenderedMessage`, `dkimSigned` (Dkim.ts)
// the signed bytes.
import type { Contact } from "../../contacts/Contact.ts"
import type { DateTime } from "effect"
import type { DeliveryId, WorkspaceId, ApprovalId, EmailId } from "../../kernel/Ids.ts"
import { nameTokenOf, publicNameOf, type Workspace } from "../../workspaces/Workspace.ts"

export interface ApprovedEmail {
  readonly approvalId: ApprovalId
  readonly emailId: EmailId
  readonly version: number
  readonly subject: string
  readonly previewText: string | null
  readonly fromName: string
  readonly fromAddress: string
  readonly replyToEmail: string
  readonly html: string
  readonly text: string
  readonly approvedAt: DateTime.Utc
}

/** The workspace's data for the footer and merge tokens. */
export interface Sender {
  readonly workspaceId: WorkspaceId
  /** The value of `{{workspace.name}}`. */
  readonly workspaceName: string
  /** Null: the footer shows no name. */
  readonly publicName: string | null
  readonly postalAddress: string | null
}

export const senderOf = (workspace: Pick<Workspace, "id" | "name" | "brand" | "postalAddress">): Sender => ({
  workspaceId: workspace.id,
  workspaceName: nameTokenOf(workspace),
  publicName: publicNameOf(workspace.brand),
  postalAddress: workspace.postalAddress,
})

export type LinkKind = "open" | "click" | "unsubscribe" | "view"

/** The page of a recipient's topics: its address is the one of the unsubscribe page with this end. */
export const preferences_end = "/preferences"

/** The beginning of the addresses of each kind, which is the same for all recipients. */
export type Addresses = { readonly [Each in LinkKind]: string }

/** The addresses of one message, with a MAC in each. `Links.ts` creates them. */
export interface MessageLinks {
  /** The end of an address, which needs no escaping anywhere. `index` is the index of a redirect. */
  readonly token: (kind: LinkKind, index: number | null) => string
  /** The redirect for the link of this index (from 0) in the compiled email. */
  readonly click: (index: number) => string
  readonly open: string
  readonly unsubscribe: string
  readonly view: string
}

/** One recipient with everything that the message depends on: the same input gives the same bytes. */
export interface Recipient {
  readonly deliveryId: DeliveryId
  readonly contact: Contact
  readonly address: string
  /** Flow tokens, `{{campaign.dynamic.<key>}}`. */
  readonly dynamic: Readonly<Record<string, string | number | boolean>>
  /** The values of `{{data.…}}` tokens, of a single message. */
  readonly data?: Readonly<Record<string, unknown>>
  /** The name in the `To` header, of a single message. */
  readonly name?: string | null
  readonly links: MessageLinks
  readonly messageId: string
  readonly date: DateTime.Utc
  /** `List-Id` and `Feedback-ID`: the blast or flow of the message. Null: the message belongs to no list. */
  readonly listId: string | null
  readonly feedbackId: string
}

/** The unsigned message: header lines without CRLF, and the body with exactly one final CRLF. */
export interface RenderedMessage {
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array<ArrayBuffer>
  /** Free bytes in front of the body in the same buffer: headers fit there without a copy. */
  readonly headroom_bytes?: number
}
