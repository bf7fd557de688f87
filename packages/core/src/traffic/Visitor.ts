// Who came, without knowing who: a hash of address and browser under a salt that is thrown away after its day, so that
// the same person is counted once a day and can't be found again later.
import { concat, encodeText } from "../kernel/Bytes.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"

export const salt_bytes = 32
export const visitor_bytes = 16

export interface VisitorFacts {
  /** Bound in, so that nobody is followed from one workspace's pages to another's. */
  readonly workspaceId: WorkspaceId
  readonly address: string
  readonly userAgent: string
}

export const visitorOf = (
  sha256: (bytes: Uint8Array) => Uint8Array,
  salt: Uint8Array,
  { workspaceId, address, userAgent }: VisitorFacts,
): Uint8Array =>
  // Neither an id nor an address holds a NUL: no two visitors spell the same text.
  sha256(concat([salt, encodeText(`${workspaceId}\0${address}\0${userAgent}`)])).slice(0, visitor_bytes)
