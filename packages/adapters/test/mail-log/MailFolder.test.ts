// Tests of reading local mail from its folder.
import * as Folder from "@tentpole/adapters/mail-log/MailFolder"
import * as MailLog from "@tentpole/adapters/mail-log/MailLog"
import { MailFolder } from "@tentpole/core/operations/localMail/MailFolder"
import { MailConnections } from "@tentpole/core/sending/MailConnection"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "mail-folder-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true })),
)

const write = (outbox: string, to: string, message: string) =>
  Effect.gen(function* () {
    const mail = yield* MailConnections
    const ready = yield* (yield* mail.open).begin({ from: "b+1@bounce.example.test", to })
    yield* ready.release(Buffer.from(message))
    // Names have the millisecond.
    yield* Effect.sleep(2)
  }).pipe(Effect.provide(MailLog.layer(outbox)))

const message = (subject: string) =>
  `From: Acme <hi@example.test>\r\nSubject: =?utf-8?B?${Buffer.from(subject).toString("base64")}?=\r\nFeedback-ID: blast:approval:workspace:tentpole\r\n\r\n${"body ".repeat(10_000)}\r\n`

describe("MailFolder", () => {
  it.live("lists messages with their envelopes and subjects, the newest first", () =>
    Effect.gen(function* () {
      const outbox = yield* folder
      yield* write(outbox, "ann@example.test", message("Grüße"))
      yield* write(outbox, "bob@example.test", message("Sale"))
      yield* Effect.promise(() => writeFile(join(outbox, "notes.txt"), "not a message"))
      const { isUsed, list } = yield* MailFolder.pipe(Effect.provide(Folder.layer(outbox)))
      assert.isTrue(isUsed)
      const [newest, oldest, ...others] = yield* list
      assert.deepStrictEqual(
        [newest, oldest].map((file) => [file?.to, file?.subject]),
        [
          ["bob@example.test", "Sale"],
          ["ann@example.test", "Grüße"],
        ],
      )
      assert.deepInclude(newest, {
        from: "Acme <hi@example.test>",
        returnPath: "b+1@bounce.example.test",
        feedbackId: "blast:approval:workspace:tentpole",
      })
      assert.match(newest?.id ?? "", /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{8}$/)
      assert.isAbove(newest?.size_bytes ?? 0, 50_000)
      assert.deepStrictEqual(others, [])
    }).pipe(Effect.scoped),
  )

  it.live("reads a message by its id, and nothing by another name", () =>
    Effect.gen(function* () {
      const outbox = yield* folder
      yield* write(outbox, "ann@example.test", "Subject: hello\r\n\r\nbody\r\n")
      const files = yield* MailFolder.pipe(Effect.provide(Folder.layer(outbox)))
      const [file] = yield* files.list
      const bytes = yield* files.read(file?.id ?? "")
      assert.strictEqual(
        Buffer.from(bytes ?? []).toString(),
        "Return-Path: <b+1@bounce.example.test>\r\nDelivered-To: ann@example.test\r\nSubject: hello\r\n\r\nbody\r\n",
      )
      for (const id of ["", "../secret", "2026-05-01T09-30-00-000Z-1f2e3d4c"]) {
        assert.isNull(yield* files.read(id), id)
      }
    }).pipe(Effect.scoped),
  )

  it.live("deletes the named messages and no others", () =>
    Effect.gen(function* () {
      const outbox = yield* folder
      yield* write(outbox, "ann@example.test", message("one"))
      yield* write(outbox, "bob@example.test", message("two"))
      const files = yield* MailFolder.pipe(Effect.provide(Folder.layer(outbox)))
      const [newest] = yield* files.list
      yield* files.delete([newest?.id ?? ""])
      assert.deepStrictEqual(
        (yield* files.list).map(({ subject }) => subject),
        ["one"],
      )
    }).pipe(Effect.scoped),
  )
})
