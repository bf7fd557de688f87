// Timing test of refused API keys: the time reveals neither whether a key was valid nor how much of it is right. Part of
// `npm run test:attacks`: a rank test over 2,000 refusals of each kind on PostgreSQL.
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { newKey, prefix_length } from "@tentpole/core/workspaces/ApiKey"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { postgresWorld } from "../fixtures/PostgresWorld.ts"
import { testKey } from "../fixtures/World.ts"

const isCampaign = process.env["ATTACKS"] === "all"
const refusals = 2_000

/** Mann and Whitney's U of two samples, as the z of a normal distribution: 0 when neither tends to be the longer. */
const rankTest = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  const all = [...one.map((ms) => ({ ms, of: 1 })), ...other.map((ms) => ({ ms, of: 0 }))].sort((a, b) => a.ms - b.ms)
  const ranks = all.reduce((sum, { of }, at) => sum + of * (at + 1), 0)
  const [n, m] = [one.length, other.length]
  const u = ranks - (n * (n + 1)) / 2
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12)
}

/** Of a two-sided p of 0.01. */
const z_max = 2.576

it.live.skipIf(!isCampaign)(
  "the time of a refusal does not reveal the kind of wrong key",
  () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(postgresWorld)
      const { authenticate, bootstrap, createKey, revokeKey } = Context.get(context, Workspaces)
      const { workspace } = yield* bootstrap({ apiKey: testKey })
      const forge = Effect.provideService(newKey, Secrets, Context.get(context, Secrets))
      const live = yield* createKey(workspace.id, { name: "live" })
      const revoked = yield* createKey(workspace.id, { name: "revoked" })
      yield* revokeKey(workspace.id, revoked.key.id)
      const expired = yield* createKey(workspace.id, { name: "expired", expiresAt: DateTime.makeUnsafe(1) })
      const keys = {
        unknown: yield* forge,
        "of a known prefix": live.key.prefix + (yield* forge).slice(prefix_length),
        revoked: revoked.raw,
        expired: expired.raw,
      }
      const timeOf = Effect.fnUntraced(function* (key: string) {
        const began_ms = performance.now()
        assert.strictEqual((yield* Effect.flip(authenticate(key)))._tag, "Unauthorized")
        return performance.now() - began_ms
      })
      const apart = Effect.gen(function* () {
        const kinds = Object.entries(keys).map(([name, key]) => ({ name, key, times: new Array<number>() }))
        for (let each = 0; each < refusals; each++) {
          for (const kind of kinds.sort(() => Math.random() - 0.5)) kind.times.push(yield* timeOf(kind.key))
        }
        return kinds.flatMap((one) =>
          kinds.flatMap((other) => {
            const z = one.name < other.name ? rankTest(one.times, other.times) : 0
            return Math.abs(z) > z_max ? [`${one.name} from ${other.name}: z = ${z.toFixed(1)}`] : []
          }),
        )
      })
      // Each of the six comparisons fails by chance once in a hundred runs. Only a repeated failure counts.
      const runs = [yield* apart, yield* apart, yield* apart]
      assert.isTrue(
        runs.some((each) => each.length === 0),
        runs.flat().join("; "),
      )
    }).pipe(Effect.scoped),
  { tags: ["attack/dead-key"], timeout: 300_000 },
)
