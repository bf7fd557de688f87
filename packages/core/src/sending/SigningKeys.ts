// The DKIM keys of a workspace: the key of a sender's domain, as long as the domain is verified.
import { Effect } from "effect"
import { decodeText } from "../kernel/Bytes.ts"
import type { DkimKey } from "../rendering/message/Dkim.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { toDomain } from "../kernel/values/DomainName.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"

/** Returns the key for a sender's address; null when its domain is not verified. */
export const signingKeys = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  const secrets = yield* Secrets
  return Effect.fnUntraced(function* (workspace: WorkspaceId, fromAddress: string) {
    const from = toDomain(fromAddress.slice(fromAddress.lastIndexOf("@") + 1))
    const domains = yield* workspaces.domains(workspace)
    const domain = domains.find((each) => each.status === "verified" && each.domain === from)
    if (domain === undefined) return null
    const pem = yield* secrets.open("dkim", domain.dkimPrivateKeySealed).pipe(Effect.orDie)
    const key: DkimKey = {
      domain: domain.domain,
      selector: domain.dkimSelector,
      privateKeyPem: decodeText(pem),
    }
    return key
  })
})
