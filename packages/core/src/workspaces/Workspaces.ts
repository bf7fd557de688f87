// The use cases of workspaces, their keys and sending domains. The API only authenticates.
import { Context, DateTime, Effect, Layer } from "effect"
import { auditOfWorkspace } from "./WorkspaceAudit.ts"
import { type AuditAction, AuditLog } from "../kernel/changes/AuditLog.ts"
import { encodeText } from "../kernel/Bytes.ts"
import { ApiKeyId, DomainId, Ids, WorkspaceId } from "../kernel/Ids.ts"
import { Invalid, NotFound, Unavailable, refusalClass } from "../kernel/Refusal.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type ApiKey, checkChosenKey, checkKeyName, hashOf, newKey, prefix_length, isWellFormed } from "./ApiKey.ts"
import { type CheckedRecord, domainCheck } from "./DomainCheck.ts"
import type { Role } from "./Role.ts"
import {
  checkSendingDomain,
  withCheckResult,
  selectorOf,
  type SendingDomain,
  SendingDomainExists,
} from "./SendingDomain.ts"
import { type SlugTaken, type Workspace, WorkspaceChange, type WorkspaceFields } from "./Workspace.ts"
import { WorkspaceStore } from "./WorkspaceStore.ts"

/** The same error for missing, malformed, unknown, revoked and expired keys. */
export class Unauthorized extends refusalClass<Unauthorized>()("Unauthorized", {
  code: "unauthorized",
  message: () => "The API key is missing, unknown, revoked or expired. Send `Authorization: Bearer <key>`",
}) {}

interface KeyFields {
  readonly name: string
  /** Default: `owner`. */
  readonly role?: Role
  readonly expiresAt?: DateTime.Utc
  /** The key itself; by default it is drawn. */
  readonly chosen?: string
}

/** A new key. `raw` is returned once and not stored. */
export interface NewApiKey {
  readonly key: ApiKey
  readonly raw: string
}

export interface CheckedDomain {
  readonly domain: SendingDomain
  readonly records: ReadonlyArray<CheckedRecord>
}

/** The first workspace; `key` is null if the workspace existed already. */
export interface BootstrapResult {
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
    readonly createKey: (id: WorkspaceId, fields: KeyFields) => Effect.Effect<NewApiKey, NotFound | Invalid>
    readonly revokeKey: (id: WorkspaceId, key: ApiKeyId) => Effect.Effect<void, NotFound>
    readonly addDomain: (
      id: WorkspaceId,
      domain: string,
    ) => Effect.Effect<CheckedDomain, NotFound | Invalid | SendingDomainExists>
    readonly getDomain: (id: WorkspaceId, domain: DomainId) => Effect.Effect<CheckedDomain, NotFound>
    /**
     * Looks up the DNS records. The DKIM record decides: with it the domain is verified, without it the domain fails, also if it
     * was verified before. If no name server answers for that record, nothing changes and the call fails with `Unavailable`.
     */
    readonly verifyDomain: (id: WorkspaceId, domain: DomainId) => Effect.Effect<CheckedDomain, NotFound | Unavailable>
    readonly removeDomain: (id: WorkspaceId, domain: DomainId) => Effect.Effect<void, NotFound>
    /** On an empty database: creates the workspace `default` with one key and the verified domain `example.test`. */
    readonly bootstrap: (options: { readonly apiKey: string | null }) => Effect.Effect<BootstrapResult, Invalid>
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

      const recordAudit = (
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

      const checkRecords = (domain: SendingDomain) =>
        Effect.map(check(domain), ({ records }): CheckedDomain => ({ domain, records }))

      const newDomain = Effect.fnUntraced(function* (domain: string) {
        const { privateKeyPem, publicKeyDer } = yield* secrets.rsaKeyPair
        const id = DomainId.make(yield* ids.next)
        return {
          id,
          domain,
          status: "pending",
          dkimSelector: selectorOf(id),
          dkimPublicKey: publicKeyDer,
          dkimPrivateKeySealed: yield* secrets.seal("dkim", encodeText(privateKeyPem)),
          verifiedAt: null,
          createdAt: yield* DateTime.now,
        } satisfies SendingDomain
      })

      const storeNewDomain = Effect.fnUntraced(function* (id: WorkspaceId, domain: SendingDomain) {
        yield* store.lock(id)
        const existing = (yield* store.domains(id)).find((each) => each.domain === domain.domain)
        if (existing !== undefined) {
          return yield* new SendingDomainExists({ domain: existing.domain, id: existing.id })
        }
        yield* store.putDomain(id, domain)
        yield* recordAudit(id, "domain.added", domain.id, { domain: domain.domain })
      })

      /** Reads the domain again, because it may have been deleted during the check. */
      const storeCheckResult = Effect.fnUntraced(function* (id: WorkspaceId, domainId: DomainId, isProven: boolean) {
        yield* store.lock(id)
        const before = yield* domainOf(id, domainId)
        const after = withCheckResult(before, isProven, yield* DateTime.now)
        yield* store.putDomain(id, after)
        if (after.status !== before.status && after.status !== "pending") {
          yield* recordAudit(id, `domain.${after.status}`, domainId, { domain: after.domain })
        }
        return after
      })

      const newApiKey = Effect.fnUntraced(function* (id: WorkspaceId, fields: KeyFields) {
        const raw =
          fields.chosen === undefined
            ? yield* newKey.pipe(Effect.provideService(Secrets, secrets))
            : yield* Effect.fromResult(checkChosenKey(fields.chosen))
        const key: ApiKey = {
          id: ApiKeyId.make(yield* ids.next),
          workspaceId: id,
          name: fields.name,
          prefix: raw.slice(0, prefix_length),
          role: fields.role ?? "owner",
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
        yield* recordAudit(id, "workspace.created", id, { name, slug, plan, credits })
        return change.after
      })

      const storeKey = Effect.fnUntraced(function* (created: NewApiKey) {
        const { expiresAt, id, name, prefix, role, workspaceId } = created.key
        yield* store.addKey(created.key)
        const expires_at = expiresAt === null ? null : DateTime.formatIso(expiresAt)
        yield* recordAudit(workspaceId, "key.created", id, { name, prefix, role, expires_at })
        return created
      })

      const createFirst = Effect.fnUntraced(function* ({ apiKey }: { readonly apiKey: string | null }) {
        const first = yield* store.findFirst
        if (first !== null) return { workspace: first, key: null }
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
        yield* storeKey(key)
        const domain = yield* newDomain(first_domain)
        yield* store.putDomain(workspace.id, { ...domain, status: "verified", verifiedAt: yield* DateTime.now })
        yield* recordAudit(workspace.id, "domain.added", domain.id, { domain: first_domain })
        return { workspace, key }
      })

      return Workspaces.of({
        authenticate: Effect.fn("Workspaces.authenticate")(function* (raw) {
          if (!isWellFormed(secrets.sha256, raw)) return yield* new Unauthorized()
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
          return yield* storeKey(yield* newApiKey(id, fields))
        }, transact),

        revokeKey: Effect.fn("Workspaces.revokeKey")(function* (id, key) {
          yield* store.lock(id)
          yield* store.revokeKey(id, key, yield* DateTime.now)
          yield* recordAudit(id, "key.revoked", key, {})
        }, transact),

        addDomain: Effect.fn("Workspaces.addDomain")(function* (id, name) {
          const domainName = yield* Effect.fromResult(checkSendingDomain("domain", name))
          const domain = yield* newDomain(domainName)
          yield* transact(storeNewDomain(id, domain))
          return yield* checkRecords(domain)
        }),

        getDomain: Effect.fn("Workspaces.getDomain")(function* (id, domain) {
          return yield* checkRecords(yield* domainOf(id, domain))
        }),

        verifyDomain: Effect.fn("Workspaces.verifyDomain")(function* (id, domainId) {
          const domain = yield* domainOf(id, domainId)
          const { proven, records } = yield* check(domain)
          const isProven = yield* Effect.fromResult(proven).pipe(
            Effect.mapError(() => new Unavailable({ part: `DNS of ${domain.domain}` })),
          )
          const after = yield* transact(storeCheckResult(id, domainId, isProven))
          return { domain: after, records }
        }),

        removeDomain: Effect.fn("Workspaces.removeDomain")(function* (id, domain) {
          yield* store.lock(id)
          const { domain: name } = yield* domainOf(id, domain)
          yield* store.removeDomain(id, domain)
          yield* recordAudit(id, "domain.removed", domain, { domain: name })
        }, transact),

        bootstrap: Effect.fn("Workspaces.bootstrap")(function* (options) {
          return yield* transact(createFirst(options)).pipe(
            // Another process was faster: use its workspace.
            Effect.catchTag("SlugTaken", () =>
              Effect.map(store.findBySlug(first_slug), (workspace) => ({ workspace, key: null })).pipe(Effect.orDie),
            ),
          )
        }),
      })
    }),
  )
}
