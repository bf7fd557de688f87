import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { Settings } from "@tentpole/core/Settings"
import { defaults } from "@tentpole/worker/Sender"
import { counts, sender, sendingBlast, settings, statusOf, until, workspace, world } from "./World.ts"
const N = Number(process.env["N"] ?? 6000), C = Number(process.env["C"] ?? 32)
layer(world, { timeout: "120 seconds", excludeTestServices: true })("bench", (it) => {
  it.effect("rate", () => Effect.gen(function* () {
    const ws = yield* workspace
    const content = "<html><body><p>Hello {{contact.first_name}}</p>" + ("<p>" + "Hello dear reader, this is text. ".repeat(20) + "</p>\n").repeat(28) + '<a href="https://example.com/">x</a></body></html>'
    const warm = yield* sendingBlast(ws, 500, { content, prefix: "warm" })
    const scope = yield* Scope.make()
    yield* sender(2599, defaults).pipe(Effect.provideService(Settings, Settings.of({ ...settings, smtpConnections: C })), Scope.provide(scope))
    yield* until(Effect.map(statusOf(ws, warm), (r) => r?.status === "sent"))
    const t = performance.now()
    const blast = yield* sendingBlast(ws, N, { content })
    const t0 = performance.now(), cpu = process.cpuUsage()
    yield* until(Effect.map(statusOf(ws, blast), (r) => r?.status === "sent"))
    const s = (performance.now() - t0) / 1000, c = process.cpuUsage(cpu)
    console.log(`RATE C=${C} N=${N}: ${(N / s).toFixed(0)}/s; audience ${(t0 - t).toFixed(0)} ms; cpu ${((c.user + c.system) / 1e6 / s).toFixed(2)}`, JSON.stringify((yield* counts(ws, blast)).states))
    yield* Scope.close(scope, Exit.void)
    assert.isTrue(true)
  }).pipe(Effect.scoped), 120_000)
})
