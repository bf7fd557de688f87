// Tests of the fast path for pixels.
import { assert, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect } from "effect"
import { listeningOver, rawHead, statusOf } from "../fixtures/Listening.ts"
import { chrome, sent } from "../fixtures/TrackingWorld.ts"

const opened = Effect.gen(function* () {
  const it = yield* sent
  const { pages } = yield* listeningOver(it.context)
  const path = new URL(it.links.open).pathname
  const asked = (method: string, target: string, ...more: ReadonlyArray<string>) =>
    rawHead(pages, `${method} ${target} HTTP/1.1`, `Host: mail.pages.test:${pages}`, ...more)
  return { ...it, asked, pages, path }
})

it.live("the fast path and the router return identical bytes for a pixel", () =>
  Effect.gen(function* () {
    const { asked, path } = yield* opened
    const forged = `${path.slice(0, -1)}${path.endsWith("A") ? "B" : "A"}`
    for (const [status, method, target, ...more] of [
      [200, "GET", path, `User-Agent: ${chrome}`],
      [200, "GET", path],
      [200, "HEAD", path],
      [403, "GET", path, "Service-Worker: script"],
      [405, "POST", path, "Content-Length: 0"],
      [404, "GET", forged],
      [404, "GET", "/o/none"],
    ] as const) {
      const what = [method, target, ...more].join(" ")
      const answer = yield* asked(method, target, ...more)
      // A query string disables the fast path.
      assert.strictEqual(answer, yield* asked(method, `${target}?a=b`, ...more), what)
      assert.strictEqual(statusOf(answer), status, what)
    }
  }).pipe(Effect.scoped),
)

const foreignHostTest = tagged(it.live, "attack/foreign-host")
foreignHostTest("a pixel request with several hosts or none is refused and not counted", () =>
  Effect.gen(function* () {
    const { asked, delivery, pages, path } = yield* opened
    const browser = `User-Agent: ${chrome}`
    for (const answer of [
      yield* asked("GET", path, browser, "Host: another.pages.test"),
      yield* asked("GET", `http://another.pages.test${path}`, browser),
      yield* rawHead(pages, `GET ${path} HTTP/1.1`, browser),
    ]) {
      assert.strictEqual(statusOf(answer), 400, answer)
    }
    const row = yield* delivery
    assert.deepStrictEqual([row.openedAt, row.machineOpenedAt], [null, null])
  }).pipe(Effect.scoped),
)

it.live("the fast path counts opens by people, not by bots or with forged tokens", () =>
  Effect.gen(function* () {
    const { asked, delivery, path } = yield* opened
    yield* asked("GET", path, "User-Agent: curl/8.0")
    yield* asked("GET", path, `User-Agent: ${chrome}`, "Sec-Purpose: prefetch")
    yield* asked("GET", `${path}x`, `User-Agent: ${chrome}`)
    const machines = yield* delivery
    assert.isNull(machines.openedAt)
    assert.isNotNull(machines.machineOpenedAt)
    yield* asked("GET", path, `User-Agent: ${chrome}`)
    assert.isNotNull((yield* delivery).openedAt)
  }).pipe(Effect.scoped),
)
