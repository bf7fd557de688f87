// What can be done with workspaces, their keys and their sending domains. The command line and the administration call
// these; the API only asks who a key belongs to.
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { auditOfWorkspace } from "./WorkspaceAudit.ts"
import { type AuditAction, AuditLog } from "../kernel/changes/AuditLog.ts"
import { encodeText } from "../kernel/Bytes.ts"
import type { ErrorCode } from "../kernel/ErrorCode.ts"
import { ApiKeyId, DomainId, Ids, WorkspaceId } from "../kernel/Ids.ts"
import { Invalid, NotFound, Unavailable } from "../kernel/Refusal.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type ApiKey, checkChosen, checkKeyName, hashOf, newKey, prefix_length, wellFormed } from "./ApiKey.ts"
import { type CheckedRecord, domainCheck } from "./DomainCheck.ts"
import { checkSendingDomain, concluded, selectorOf, type SendingDomain } from "./SendingDomain.ts"
import { type SlugTaken, type Workspace, WorkspaceChange, type WorkspaceFields } from "./Workspace.ts"
import { WorkspaceStore } from "./WorkspaceStore.ts"

/** Missing, malformed, unknown, revoked and expired keys: one answer for all. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {
  readonly code = "unauthorized" satisfies ErrorCode
  override get message(): string {
    return "The API key is missing, unknown, revoked or expired. Send `Authorization: Bearer <key>`"
  }
}

/** A key as it is shown once: `raw` is kept nowhere. */
export interface NewApiKey {
  readonly key: ApiKey
  readonly raw: string
}

export interface CheckedDomain {
  readonly domain: SendingDomain
  readonly records: ReadonlyArray<CheckedRecord>
}

/** The workspace of the first start, and the key to it when it has just been made. */
export interface Bootstrapped {
  readonly workspace: Workspace
  readonly key: NewApiKey | null
}

const first_slug = "default"
const first_domain = "example.test"

export class Workspaces extends Context.Service<
  Workspaces,
  {
    readonly authenticate: (
      raw: string,
    ) => Effect.Effect<{ readonly key: ApiKey; readonly workspace: Workspace }, Unauthorized>
    readonly create: (
      fields: WorkspaceFields & { readonly name: string },
    ) => Effect.Effect<Workspace, Invalid | SlugTaken>
    readonly update: (
      id: WorkspaceId,
      fields: WorkspaceFields,
    ) => Effect.Effect<Workspace, Invalid | SlugTaken | NotFound>
    readonly createKey: (
      id: WorkspaceId,
      fields: { readonly name: string; readonly expiresAt?: DateTime.Utc; readonly chosen?: string },
    ) => Effect.Effect<NewApiKey, NotFound | Invalid>
    readonly revokeKey: (id: WorkspaceId, key: ApiKeyId) => Effect.Effect<void, NotFound>
    readonly addDomain: (id: WorkspaceId, domain: string) => Effect.Effect<CheckedDomain, NotFound | Invalid>
    readonly getDomain: (id: WorkspaceId, domain: DomainId) => Effect.Effect<CheckedDomain, NotFound>
    /**
     * Looks the records up: with DKIM's the domain is verified, without it not, also if it was. When no name server answers
     * for that one nothing changes, and the caller is told to ask again.
     */
    readonly verifyDomain: (id: WorkspaceId, domain: DomainId) => Effect.Effect<CheckedDomain, NotFound | Unavailable>
    readonly removeDomain: (id: WorkspaceId, domain: DomainId) => Effect.Effect<void, NotFound>
    /** On an empty database: the workspace `default` with one key and the verified domain `example.test`; else nothing. */
    readonly bootstrap: (options: { readonly apiKey: string | null }) => Effect.Effect<Bootstrapped, Invalid>
  }
>()("tentpole/Workspaces") {
  static readonly layer = Layer.effect(
    Workspaces,
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const { transact } = yield* Transactor
      const ids = yield* Ids
      const secrets = yield* Secrets
      const audit = yield* AuditLog

      /** Names the thing that it was done to, and what tells it from others. */
      const told = (
        workspaceId: WorkspaceId,
        action: AuditAction,
        target: string,
        details: Readonly<Record<string, unknown>>,
      ) => audit.append([{ workspaceId, action, target, details }])

      const check = yield* domainCheck

      const domainOf = Effect.fnUntraced(function* (id: WorkspaceId, domain: DomainId) {
        const found = (yield* store.domains(id)).find((each) => each.id === domain)
        return found ?? (yield* new NotFound({ resource: "sending domain" }))
      })

      const checked = (domain: SendingDomain) =>
        Effect.map(check(domain), ({ records }): CheckedDomain => ({ domain, records }))

      const newDomain = Effect.fnUntraced(function* (name: string) {
        const { privateKeyPem, publicKeyDer } = yield* secrets.rsaKeyPair
        const sealed = yield* secrets.seal("dkim", encodeText(privateKeyPem))
        const now = yield* DateTime.now
        const id = DomainId.make(yield* ids.next)
        const domain: SendingDomain = {
          id,
          domain: name,
          status: "pending",
          dkimSelector: selectorOf(id),
          dkimPublicKey: publicKeyDer,
          dkimPrivateKeySealed: sealed,
          verifiedAt: null,
          createdAt: now,
        }
        return domain
      })

      const added = Effect.fnUntraced(function* (id: WorkspaceId, domain: SendingDomain) {
        yield* store.lock(id)
        if ((yield* store.domains(id)).some((each) => each.domain === domain.domain)) {
          return yield* Invalid.at("domain", `${domain.domain} is a sending domain of this workspace already`)
        }
        yield* store.putDomain(id, domain)
        yield* told(id, "domain.added", domain.id, { domain: domain.domain })
      })

      /** While DNS was asked the domain may have been removed: it must not come back. */
      const settled = Effect.fnUntraced(function* (id: WorkspaceId, domainId: DomainId, isProven: boolean) {
        yield* store.lock(id)
        const before = yield* domainOf(id, domainId)
        const after = concluded(before, isProven, yield* DateTime.now)
        yield* store.putDomain(id, after)
        if (after.status !== before.status && after.status !== "pending") {
          yield* told(id, `domain.${after.status}`, domainId, { domain: after.domain })
        }
        return after
      })

      const newApiKey = Effect.fnUntraced(function* (
        id: WorkspaceId,
        fields: { readonly name: string; readonly expiresAt?: DateTime.Utc; readonly chosen?: string },
      ) {
        const raw =
          fields.chosen === undefined
            ? yield* newKey.pipe(Effect.provideService(Secrets, secrets))
            : yield* Effect.fromResult(checkChosen(fields.chosen))
        const key: ApiKey = {
          id: ApiKeyId.make(yield* ids.next),
          workspaceId: id,
          name: fields.name,
          prefix: raw.slice(0, prefix_length),
          hash: hashOf(secrets.sha256, raw),
          expiresAt: fields.expiresAt ?? null,
          revokedAt: null,
          lastUsedAt: null,
          createdAt: yield* DateTime.now,
        }
        return { key, raw }
      })

      const newWorkspace = Effect.fnUntraced(function* (fields: WorkspaceFields & { readonly name: string }) {
        const id = WorkspaceId.make(yield* ids.random)
        const change = yield* Effect.fromResult(WorkspaceChange.create(id, fields, yield* DateTime.now))
        yield* store.apply(change)
        const { credits, name, plan, slug } = change.after
        yield* told(id, "workspace.created", id, { name, slug, plan, credits })
        return change.after
      })

      const withKey = Effect.fnUntraced(function* (made: NewApiKey) {
        const { expiresAt, id, name, prefix, workspaceId } = made.key
        yield* store.addKey(made.key)
        const expires_at = expiresAt === null ? null : DateTime.formatIso(expiresAt)
        yield* told(workspaceId, "key.created", id, { name, prefix, expires_at })
        return made
      })

      const bootstrapped = Effect.fnUntraced(function* ({ apiKey }: { readonly apiKey: string | null }) {
        const [first] = yield* store.list
        if (first !== undefined) return { workspace: first, key: null }
        const workspace = yield* newWorkspace({
          name: "default",
          slug: first_slug,
          plan: "max",
          credits: 1000,
          senderDefaults: {
            fromName: "Tentpole",
            fromAddress: `hello@${first_domain}`,
            replyToEmail: `hello@${first_domain}`,
          },
        })
        const key = yield* newApiKey(workspace.id, {
          name: "first key",
          ...(apiKey === null ? {} : { chosen: apiKey }),
        })
        yield* withKey(key)
        const domain = yield* newDomain(first_domain)
        yield* store.putDomain(workspace.id, { ...domain, status: "verified", verifiedAt: yield* DateTime.now })
        yield* told(workspace.id, "domain.added", domain.id, { domain: first_domain })
        return { workspace, key }
      })

      return Workspaces.of({
        authenticate: Effect.fn("Workspaces.authenticate")(function* (raw) {
          if (!wellFormed(secrets.sha256, raw)) return yield* new Unauthorized()
          const now = yield* DateTime.now
          const found = yield* store
            .findKey(hashOf(secrets.sha256, raw), now)
            .pipe(Effect.catchTag("NotFound", () => new Unauthorized()))
          const last_ms = found.key.lastUsedAt?.epochMilliseconds ?? 0
          if (now.epochMilliseconds - last_ms > 60_000) {
            yield* transact(store.touchKey(found.workspace.id, found.key.id, now))
          }
          return found
        }),

        create: Effect.fn("Workspaces.create")(newWorkspace, transact),

        update: Effect.fn("Workspaces.update")(function* (id, fields) {
          const before = yield* store.lock(id)
          const change = yield* Effect.fromResult(WorkspaceChange.update(before, fields, yield* DateTime.now))
          yield* store.apply(change)
          yield* audit.append(auditOfWorkspace(before, change.after))
          return change.after
        }, transact),

        createKey: Effect.fn("Workspaces.createKey")(function* (id, fields) {
          yield* store.lock(id)
          yield* Effect.fromResult(checkKeyName(fields.name))
          return yield* withKey(yield* newApiKey(id, fields))
        }, transact),

        revokeKey: Effect.fn("Workspaces.revokeKey")(function* (id, key) {
          yield* store.lock(id)
          yield* store.revokeKey(id, key, yield* DateTime.now)
          yield* told(id, "key.revoked", key, {})
        }, transact),

        addDomain: Effect.fn("Workspaces.addDomain")(function* (id, name) {
          const domainName = yield* Effect.fromResult(checkSendingDomain("domain", name))
          const domain = yield* newDomain(domainName)
          yield* transact(added(id, domain))
          return yield* checked(domain)
        }),

        getDomain: Effect.fn("Workspaces.getDomain")(function* (id, domain) {
          return yield* checked(yield* domainOf(id, domain))
        }),

        verifyDomain: Effect.fn("Workspaces.verifyDomain")(function* (id, domainId) {
          const domain = yield* domainOf(id, domainId)
          const { proven, records } = yield* check(domain)
          const isProven = yield* Effect.fromResult(proven).pipe(
            Effect.mapError(() => new Unavailable({ part: `DNS of ${domain.domain}` })),
          )
          const after = yield* transact(settled(id, domainId, isProven))
          return { domain: after, records }
        }),

        removeDomain: Effect.fn("Workspaces.removeDomain")(function* (id, domain) {
          yield* store.lock(id)
          const { domain: name } = yield* domainOf(id, domain)
          yield* store.removeDomain(id, domain)
          yield* told(id, "domain.removed", domain, { domain: name })
        }, transact),

        bootstrap: Effect.fn("Workspaces.bootstrap")(function* (options) {
          return yield* transact(bootstrapped(options)).pipe(
            // Another process was quicker: its workspace is the one.
            Effect.catchTag("SlugTaken", () =>
              Effect.map(store.findBySlug(first_slug), (workspace) => ({ workspace, key: null })).pipe(Effect.orDie),
            ),
          )
        }),
      })
    }),
  )
}
