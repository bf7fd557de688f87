// A message, from the approved email to the bytes on the wire. An approved email is compiled once into encoded MIME
// segments with the spots where a recipient's values go; a message is then a concatenation.
//
// `compile` (Compile.ts) makes the `CompiledEmail`, `render` (Render.ts) the `RenderedMessage`, `dkimSigned` (Dkim.ts) the
// signed bytes.
import type { Contact } from "../../contacts/Contact.ts"
import type { DateTime } from "effect"
import type { DeliveryId, WorkspaceId } from "../../kernel/Ids.ts"

/** What the footer and the tokens know of the workspace. */
export interface Sender {
  readonly workspaceId: WorkspaceId
  readonly workspaceName: string
  readonly postalAddress: string | null
}

export type LinkKind = "open" | "click" | "unsubscribe" | "view"

/** What the addresses of each kind begin with, whoever they are for. */
export type Addresses = { readonly [Each in LinkKind]: string }

/** The addresses that a message of its own carries; made by `deliveries/Links.ts`, with a MAC in each. */
export interface MessageLinks {
  /**
   * What stands in an address behind its beginning: letters, digits, `-` and `_`, which nothing has to be done to, wherever
   * they stand. `index` is that of a redirect.
   */
  readonly token: (kind: LinkKind, index: number | null) => string
  /** The redirect for the link of this index (from 0) in the compiled email. */
  readonly click: (index: number) => string
  readonly open: string
  readonly unsubscribe: string
  readonly view: string
}

/** One recipient, with everything that a rendering depends on: the same input gives the same bytes. */
export interface Recipient {
  readonly deliveryId: DeliveryId
  readonly contact: Contact
  /** The address as it goes into `To`. */
  readonly address: string
  /** Tokens of a flow, `{{campaign.dynamic.<key>}}`. */
  readonly dynamic: Readonly<Record<string, string | number | boolean>>
  readonly links: MessageLinks
  readonly messageId: string
  readonly date: DateTime.Utc
  /** `List-Id`, `Feedback-ID`: what the message belongs to. */
  readonly listId: string
  readonly feedbackId: string
}

/** The message as it goes out, unsigned: header lines each ended by CRLF, and the body with exactly one final CRLF. */
export interface RenderedMessage {
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array<ArrayBuffer>
  /** So many bytes in front of the body, in the same buffer, are its own and free: headers fit there without a copy. */
  readonly headroom_bytes?: number
}
