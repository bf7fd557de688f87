// The daily visitor hash of address and browser. Its salt is deleted after the day: a person can't be identified later.
import { concat, encodeText } from "../kernel/Bytes.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"

export const salt_bytes = 32
export const visitor_bytes = 16

export interface VisitorFacts {
  /** Part of the hash, so that a visitor can't be followed across workspaces. */
  readonly workspaceId: WorkspaceId
  readonly address: string
  readonly userAgent: string
}

export const visitorOf = (
  sha256: (bytes: Uint8Array) => Uint8Array,
  salt: Uint8Array,
  { workspaceId, address, userAgent }: VisitorFacts,
): Uint8Array =>
  // Neither an id nor an address contains a NUL, so that different visitors have different texts.
  sha256(concat([salt, encodeText(`${workspaceId}\0${address}\0${userAgent}`)])).slice(0, visitor_bytes)
