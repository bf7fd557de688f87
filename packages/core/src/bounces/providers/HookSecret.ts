// The secret in the address of a hook: it contains the workspace, and a MAC under APP_SECRET proves that this service created it
// for this provider. Secrets are not stored.
import { Option, Result } from "effect"
import { Base64Url } from "effect/encoding"
import { concat, encodeText } from "../../kernel/Bytes.ts"
import { WorkspaceId } from "../../kernel/Ids.ts"
import type { Secrets } from "../../kernel/Secrets.ts"
import { uuidText, writeUuid } from "../../rendering/Links.ts"
import type { Provider } from "./ProviderCall.ts"

const purpose = "hooks"
const id_bytes = 16
/** With the id these are whole characters of base64url, so that a secret has one spelling. */
const tag_bytes = 17
const secret_length = 44

const messageOf = (provider: Provider, id: Uint8Array): Uint8Array => concat([encodeText(`${provider} `), id])

export const hookSecret = (secrets: Secrets["Service"], provider: Provider, workspace: WorkspaceId): string => {
  const id = new Uint8Array(id_bytes)
  writeUuid(workspace, id, 0)
  return Base64Url.encode(concat([id, secrets.mac(purpose, messageOf(provider, id)).subarray(0, tag_bytes)]))
}

/** The workspace of a secret; none when it was not created here, or for another provider. Takes constant time. */
export const workspaceOf = (
  secrets: Secrets["Service"],
  provider: Provider,
  secret: string,
): Option.Option<WorkspaceId> => {
  const bytes = secret.length === secret_length && /^[\w-]*$/.test(secret) ? Base64Url.decode(secret) : undefined
  if (bytes === undefined || Result.isFailure(bytes) || bytes.success.length !== id_bytes + tag_bytes) {
    return Option.none()
  }
  const id = bytes.success.slice(0, id_bytes)
  if (!secrets.verifies(purpose, messageOf(provider, id), bytes.success.slice(id_bytes))) return Option.none()
  return Option.some(WorkspaceId.make(uuidText(id, 0)))
}
