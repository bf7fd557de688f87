// What can be done with workspaces, their keys and their sending domains. The command line and the administration call
// these; the API only asks who a key belongs to.
import { Context, DateTime, Effect, Layer, Result, Schema } from "effect"
import { encodeText } from "../Bytes.ts"
import { DnsResolver } from "../dns/DnsResolver.ts"
import type { ErrorCode } from "../ErrorCode.ts"
import { ApiKeyId, DomainId, Ids, WorkspaceId } from "../Ids.ts"
import { Invalid, NotFound } from "../Refusal.ts"
import { Secrets } from "../Secrets.ts"
import { Settings } from "../Settings.ts"
import { Transactor } from "../Transactor.ts"
import { type ApiKey, checkChosen, hashOf, isLive, newKey, prefix_length, wellFormed } from "./ApiKey.ts"
import { checkDomain } from "./DomainName.ts"
import { type DnsRecord, dnsRecords, isReservedName, satisfies, type SendingDomain } from "./SendingDomain.ts"
import { type SlugTaken, type Workspace, WorkspaceChange, type WorkspaceFields } from "./Workspace.ts"
import { WorkspaceStore } from "./WorkspaceStore.ts"

/** Missing, malformed, unknown, revoked and expired keys: one answer for all. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {
  readonly code = "unauthorized" satisfies ErrorCode
  override get message(): string {
    return "Send your API key as `Authorization: Bearer <key>`. It is missing, unknown, revoked or expired"
  }
}

/** A key as it is shown once: `raw` is kept nowhere. */
export interface NewApiKey {
  readonly key: ApiKey
  readonly raw: string
}

export interface CheckedRecord extends DnsRecord {
  readonly verified: boolean
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
    readonly showDomain: (id: WorkspaceId, domain: DomainId) => Effect.Effect<CheckedDomain, NotFound>
    /** Looks the records up. A name server that does not answer changes nothing. */
    readonly verifyDomain: (id: WorkspaceId, domain: DomainId) => Effect.Effect<CheckedDomain, NotFound>
    readonly removeDomain: (id: WorkspaceId, domain: DomainId) => Effect.Effect<void, NotFound>
    /** On an empty database: the workspace `default` with one key and the verified domain `example.test`; else nothing. */
    readonly bootstrap: (options: { readonly apiKey: string | null }) => Effect.Effect<Bootstrapped, Invalid>
  }
>()("tentpole/Workspaces") {
  static readonly layer = Layer.effect(
    Workspaces,
    Effect.gen(function* () {
      const settings = yield* Settings
      const store = yield* WorkspaceStore
      const { transact } = yield* Transactor
      const ids = yield* Ids
      const secrets = yield* Secrets
      const dns = yield* DnsResolver

      const domainOf = Effect.fnUntraced(function* (id: WorkspaceId, domain: DomainId) {
        const found = (yield* store.domains(id)).find((each) => each.id === domain)
        return found ?? (yield* new NotFound({ resource: "sending domain" }))
      })

      const lookUp = (domain: SendingDomain, record: DnsRecord) => {
        if (settings.developmentDomains && isReservedName(domain.domain)) return Effect.succeed(true)
        const ask = { TXT: dns.txt, MX: dns.mx, CNAME: dns.cname }[record.type]
        return Effect.map(ask(record.name), (answers) => satisfies(record, answers))
      }

      const checked = Effect.fnUntraced(function* (domain: SendingDomain) {
        const records = yield* Effect.forEach(
          dnsRecords(domain, settings.mailHost),
          (record) =>
            lookUp(domain, record).pipe(
              Effect.catchTag("DnsUnavailable", () => Effect.succeed(false)),
              Effect.map((verified): CheckedRecord => ({ ...record, verified })),
            ),
          { concurrency: 4 },
        )
        return { domain, records }
      })

      const newDomain = Effect.fnUntraced(function* (name: string) {
        const { privateKeyPem, publicKeyDer } = yield* secrets.rsaKeyPair
        const sealed = yield* secrets.seal("dkim", encodeText(privateKeyPem))
        const now = yield* DateTime.now
        const domain: SendingDomain = {
          id: DomainId.make(yield* ids.next),
          domain: name,
          status: "pending",
          dkimSelector: "tentpole",
          dkimPublicKey: publicKeyDer,
          dkimPrivateKeySealed: sealed,
          verifiedAt: null,
          createdAt: now,
        }
        return domain
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
        return change.after
      })

      const bootstrapped = Effect.fnUntraced(function* ({ apiKey }: { readonly apiKey: string | null }) {
        const [first] = yield* store.all
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
        yield* store.addKey(key.key)
        const domain = yield* newDomain(first_domain)
        yield* store.putDomain(workspace.id, { ...domain, status: "verified", verifiedAt: yield* DateTime.now })
        return { workspace, key }
      })

      return Workspaces.of({
        authenticate: Effect.fn("Workspaces.authenticate")(function* (raw) {
          if (!wellFormed(secrets.sha256, raw)) return yield* new Unauthorized()
          const found = yield* store
            .findKey(hashOf(secrets.sha256, raw))
            .pipe(Effect.catchTag("NotFound", () => new Unauthorized()))
          const now = yield* DateTime.now
          if (!isLive(found.key, now.epochMilliseconds)) return yield* new Unauthorized()
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
          return change.after
        }, transact),

        createKey: Effect.fn("Workspaces.createKey")(function* (id, fields) {
          yield* store.find(id)
          const made = yield* newApiKey(id, fields)
          yield* store.addKey(made.key)
          return made
        }, transact),

        revokeKey: Effect.fn("Workspaces.revokeKey")(function* (id, key) {
          yield* store.revokeKey(id, key, yield* DateTime.now)
        }, transact),

        addDomain: Effect.fn("Workspaces.addDomain")(function* (id, name) {
          const domainName = yield* Effect.fromResult(checkDomain("domain", name))
          yield* store.find(id)
          if ((yield* store.domains(id)).some((each) => each.domain === domainName)) {
            return yield* Invalid.at("domain", `${domainName} is a sending domain of this workspace already`)
          }
          const domain = yield* newDomain(domainName)
          yield* transact(store.putDomain(id, domain))
          return yield* checked(domain)
        }),

        showDomain: Effect.fn("Workspaces.showDomain")(function* (id, domain) {
          return yield* checked(yield* domainOf(id, domain))
        }),

        verifyDomain: Effect.fn("Workspaces.verifyDomain")(function* (id, domainId) {
          const domain = yield* domainOf(id, domainId)
          const answers = yield* Effect.result(
            Effect.forEach(dnsRecords(domain, settings.mailHost), (record) =>
              Effect.map(lookUp(domain, record), (verified): CheckedRecord => ({ ...record, verified })),
            ),
          )
          if (Result.isFailure(answers)) return yield* checked(domain)
          const proven = answers.success.some((record) => record.purpose === "dkim" && record.verified)
          const after: SendingDomain = {
            ...domain,
            status: proven ? "verified" : "failed",
            verifiedAt: proven ? (domain.verifiedAt ?? (yield* DateTime.now)) : null,
          }
          yield* transact(store.putDomain(id, after))
          return { domain: after, records: answers.success }
        }),

        removeDomain: Effect.fn("Workspaces.removeDomain")(function* (id, domain) {
          yield* store.removeDomain(id, domain)
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
