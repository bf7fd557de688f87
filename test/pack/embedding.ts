// A program of somebody else, for test/pack.test.ts: it has the packages as npm delivers them, builds the use cases of
// workspaces over memory, and says what came of it.
import * as Ids from "@tentpole/adapters/crypto/Ids"
import * as Secrets from "@tentpole/adapters/crypto/Secrets"
import * as Memory from "@tentpole/adapters/memory/All"
import * as Dns from "@tentpole/adapters/memory/Dns"
import { Settings } from "@tentpole/core/Settings"
import { WorkspaceChange } from "@tentpole/core/workspaces/Workspace"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, Layer, Redacted } from "effect"

const settings = Layer.succeed(Settings, {
  publicApiUrl: "http://api.example.test",
  publicPagesUrl: "http://pages.example.test",
  pagesHost: "pages.example.test",
  mailHost: "mail.example.test",
  sending: "held",
  import_bytes_max: 500 * 2 ** 20,
  asset_bytes_max: 25 * 2 ** 20,
  smtpConnections: 1,
  acceptMeansDelivered: true,
  hooks: { sesTopicArns: [], sendgridPublicKey: null, mailgunSigningKey: null, postmarkLogin: null },
  requestsPerMinute_max: 0,
  retention: { activity_days: null, audit_days: null },
  developmentDomains: true,
})

const secrets = Secrets.layer({ secret: Redacted.make("a secret of somebody else's"), previous: null })

const app = Workspaces.layer.pipe(
  Layer.provideMerge(Memory.stores),
  Layer.provide(Layer.mergeAll(Memory.database, Dns.layer(), Ids.layer, secrets, settings)),
)

const program = Effect.gen(function* () {
  const workspaces = yield* Workspaces
  const workspace = yield* workspaces.create({ name: "Embedded, inc." })
  const { raw } = yield* workspaces.createKey(workspace.id, { name: "a key" })
  const found = yield* workspaces.authenticate(raw)
  const stranger = yield* Effect.flip(workspaces.authenticate("nobody's"))
  const taken = yield* Effect.flip(workspaces.create({ name: "Embedded, inc." }))
  return {
    ran: ["@tentpole/core/Ids", "@tentpole/adapters/memory/All"].map((name) => import.meta.resolve(name)),
    slug: workspace.slug,
    found: found.workspace.id === workspace.id,
    stranger: stranger.code,
    taken: taken.code,
    forged: WorkspaceChange.is({ before: null, after: workspace }),
  }
})

process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.provide(program, app))))
