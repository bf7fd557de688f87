import * as MailLog from "@tentpole/adapters/mail-log/MailLog"
import { tagged } from "@tentpole/core/contract"
import { MailConnections } from "@tentpole/core/sending/MailConnection"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "mail-log-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true })),
)

const begin = (outbox: string, to: string) =>
  Effect.gen(function* () {
    const mail = yield* MailConnections
    return yield* (yield* mail.open).begin({ from: "b+1@bounce.example.test", to })
  }).pipe(Effect.provide(MailLog.layer(outbox)))

/** The modes of a folder and of all that it contains. */
const modesIn = (path: string) =>
  Effect.promise(async () => {
    const names = (await readdir(path, { recursive: true })).map((name) => join(path, name))
    return Promise.all([path, ...names].map(async (each) => (await stat(each)).mode & 0o777))
  })

describe("MailLog", () => {
  it.live("writes a released message as one complete .eml file with its envelope first", () =>
    Effect.gen(function* () {
      const outbox = join(yield* folder, "outbox")
      const ready = yield* begin(outbox, "ann@example.test")
      const end = yield* ready.release(Buffer.from("Subject: hello\r\n\r\nbody\r\n"))
      assert.strictEqual(end._tag, "accepted")
      const files = yield* Effect.promise(() => readdir(outbox))
      assert.strictEqual(files.length, 1)
      assert.match(files[0] ?? "", /^\d{4}-.*_ann@example\.test_[0-9a-f]{8}\.eml$/)
      assert.strictEqual(
        yield* Effect.promise(() => readFile(join(outbox, files[0] ?? ""), "utf8")),
        "Return-Path: <b+1@bounce.example.test>\r\nDelivered-To: ann@example.test\r\nSubject: hello\r\n\r\nbody\r\n",
      )
    }).pipe(Effect.scoped),
  )

  it.live("lets no other user read messages", () =>
    Effect.gen(function* () {
      const outbox = join(yield* folder, "outbox")
      yield* (yield* begin(outbox, "ann@example.test")).release(Buffer.from("x\r\n"))
      assert.deepStrictEqual(yield* modesIn(outbox), [0o700, 0o600])
    }).pipe(Effect.scoped),
  )

  it.live("writes no file for an abandoned message", () =>
    Effect.gen(function* () {
      const outbox = yield* folder
      yield* (yield* begin(outbox, "ann@example.test")).abandon
      assert.isEmpty(yield* Effect.promise(() => readdir(outbox)))
    }).pipe(Effect.scoped),
  )

  const pathTraversalTest = tagged(it.live, "attack/path-traversal")
  pathTraversalTest("writes no file outside the folder for any address", () =>
    Effect.gen(function* () {
      const outbox = yield* folder
      yield* (yield* begin(outbox, "../../x/y\\z\u0000@example.test")).release(Buffer.from("x\r\n"))
      const [file] = yield* Effect.promise(() => readdir(outbox))
      assert.match(file ?? "", /_\.\._\.\._x_y_z_@example\.test_/)
    }).pipe(Effect.scoped),
  )

  it.live("reports a write error as a temporary refusal", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "file")
      yield* Effect.promise(() => writeFile(file, ""))
      const end = yield* (yield* begin(file, "ann@example.test")).release(Buffer.from("x\r\n"))
      assert.deepInclude(end, { _tag: "refused", code: 452 })
    }).pipe(Effect.scoped),
  )
})
