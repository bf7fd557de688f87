// Checks of the service's dependencies. Each has a time limit, and none changes anything.
import { reach } from "@tentpole/adapters/ai/FromConfig"
import type { Configuration } from "@tentpole/adapters/Configuration"
import { prepareFolder } from "@tentpole/adapters/DataFolder"
import * as Dns from "@tentpole/adapters/dns/Dns"
import { runningUrl } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { blobs, mail } from "@tentpole/adapters/FromConfig"
import * as Ids from "@tentpole/adapters/crypto/Ids"
import * as JournalFiles from "@tentpole/adapters/journal/SendJournal"
import { JournalCover } from "@tentpole/core/operations/restore/Proof"
import { SendJournal } from "@tentpole/core/sending/journal/SendJournal"
import { isFree } from "@tentpole/adapters/operations/Listening"
import { type Diagnosis, diagnose } from "@tentpole/adapters/postgres/operations/Diagnosis"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { MailConnections } from "@tentpole/core/sending/MailConnection"
import { DnsResolver } from "@tentpole/core/ports/DnsResolver"
import { Effect, Layer, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { join } from "node:path"
import { fileModes } from "./FileModes.ts"
import { type Finding, ok, warning, wrong } from "./Finding.ts"
import { identityProvider } from "./Oidc.ts"
import { judgeAi, judgeBucket, judgeDatabase, judgeFolder, judgeJournal, judgeSilence } from "./Judgements.ts"

type Examination = (config: Configuration) => Effect.Effect<Finding | ReadonlyArray<Finding>>

const folder: Examination = (config) =>
  prepareFolder(config).pipe(
    Effect.match({
      onSuccess: () => ok("DATA_DIR", `${config.dataDir} can be written`),
      onFailure: ({ reason }) => wrong("DATA_DIR", reason, "Set DATA_DIR to a folder with write access for this user."),
    }),
  )

const database: Examination = (config) =>
  Effect.gen(function* () {
    const url = config.databaseUrl ?? (yield* runningUrl(join(config.dataDir, "database")))
    if (url === null) {
      const says = "none is configured, and the embedded one is not running"
      return config.production
        ? wrong("database", says, "Set DATABASE_URL to a PostgreSQL database.")
        : warning("database", says, "`npm start` starts it; production needs DATABASE_URL.")
    }
    return yield* Effect.matchEffect(diagnose(url, config.databaseDirectUrl !== null), {
      onSuccess: (it) =>
        Effect.map(journal(config, it), (verdict) => [
          ...judgeDatabase(it),
          judgeJournal(config.sendJournal, it, verdict),
        ]),
      onFailure: (reason) => Effect.succeed([judgeSilence(reason)]),
    })
  })

/** Values of the epoch that are checked: a worker writes one a minute. */
const checked_beats = 8

/** What the send journal proves of the last minutes. A worker may be about to record the last value. */
const journal = (config: Configuration, { epoch, unjournaled_at }: Diagnosis) =>
  Effect.gen(function* () {
    if (!config.sendJournal) return null
    const lostCounter = Math.max(0, epoch - 1)
    const cover = new JournalCover({
      backupCounter: Math.max(0, lostCounter - checked_beats),
      lostCounter,
      backupJournaled: unjournaled_at === null,
    })
    const { gap, segments } = yield* (yield* SendJournal).read(Math.max(0, lostCounter - checked_beats))
    if (gap) cover.addGap()
    yield* Stream.runForEach(segments, ({ records }) => Effect.sync(() => cover.add(records)))
    return cover.verdict
  }).pipe(
    Effect.provide(JournalFiles.layer({ on: false }).pipe(Layer.provide(Layer.merge(blobs(config), Ids.layer)))),
    Effect.timeout(timeout),
    Effect.catch(() => Effect.succeed(null)),
  )

const timeout = "15 seconds"

/** Writes a file, reads it and removes it. */
export const files = (config: Configuration): Effect.Effect<Finding> => {
  const bucket = config.s3?.bucket ?? null
  const place = bucket === null ? join(config.dataDir, "assets") : `the bucket ${bucket}`
  return Effect.gen(function* () {
    const store = yield* BlobStore
    const owner = randomUUID()
    const key = `doctor/${owner}/probe`
    yield* store.put(key, Stream.succeed(encodeText("well")), { contentType: "text/plain", bytes_max: 100 })
    const read = yield* store.get(key).pipe(Stream.decodeText, Stream.mkString)
    yield* store.deleteAllOf(owner)
    return read === "well"
      ? ok("files", `${place} stores and returns files`)
      : wrong(
          "files",
          `${place} returns other content than was stored`,
          "Check proxies between this machine and the store.",
        )
  }).pipe(
    Effect.provide(blobs(config)),
    Effect.timeout(timeout),
    Effect.catch((error) => {
      const reason = error._tag === "BlobUnavailable" ? nameOf(error.cause) : error._tag
      return Effect.succeed(bucket === null ? judgeFolder(place, reason) : judgeBucket(bucket, reason))
    }),
  )
}

/** The name of a failure: the system code (`ECONNREFUSED`) or the name of the library or server (`AccessDenied`). */
const nameOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "unknown"
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name
}

const mailServer: Examination = (config) => {
  if (config.smtpUrl === null) {
    const says = `mail is written as files to ${join(config.dataDir, "outbox")}`
    return Effect.succeed(config.production ? warning("mail", says, "Set SMTP_URL to send it.") : ok("mail", says))
  }
  const mend = "Check SMTP_URL, and that the server accepts connections from this machine."
  return Effect.gen(function* () {
    const { open } = yield* MailConnections
    yield* open
    return ok("mail", "the mail server answers and accepts the login")
  }).pipe(
    Effect.scoped,
    Effect.provide(mail(config)),
    Effect.timeout(timeout),
    Effect.catch((error) => {
      const reason = "reason" in error ? String(error.reason) : `no answer within ${timeout}`
      return Effect.succeed(wrong("mail", `the mail server can't be used: ${reason}`, mend))
    }),
  )
}

/** Checks that a name server answers. An empty answer is sufficient. */
const names: Examination = (config) => {
  const host = new URL(config.publicPagesUrl).hostname
  return Effect.gen(function* () {
    const { txt } = yield* DnsResolver
    yield* txt(config.production ? host : "example.com")
    return ok("DNS", "a name server answers")
  }).pipe(
    Effect.provide(Dns.layer({ servers: config.dnsServers })),
    Effect.catch(() =>
      Effect.succeed(
        config.production
          ? wrong("DNS", "no name server answers", "Sending domains can't be verified: check this machine's resolver.")
          : warning(
              "DNS",
              "no name server answers",
              "In development only domains under .test and .localhost are verified.",
            ),
      ),
    ),
  )
}

export const ai = ({ ai: chosen, production }: Configuration): Effect.Effect<Finding> => {
  if (chosen.provider === "fake") {
    const says = "fake: pages and emails are generated without a model"
    const mend = "Set AI_PROVIDER and AI_API_KEY."
    return Effect.succeed(production ? warning("AI", says, mend) : ok("AI", says))
  }
  return reach(chosen).pipe(
    Effect.match({
      onSuccess: (status) => judgeAi(chosen.provider, status),
      onFailure: (reason) =>
        wrong(
          "AI",
          `${chosen.provider} can't be reached (${reason})`,
          "Check AI_BASE_URL and outgoing connections of this machine.",
        ),
    }),
  )
}

const isListening = (host: string, port: number): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const socket = connect({ host: host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host, port, timeout: 3000 })
    const end = (answer: boolean) => () => {
      socket.destroy()
      resume(Effect.succeed(answer))
    }
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false))
  })

const port = (host: string, variable: string, number: number) =>
  Effect.gen(function* () {
    if (yield* isFree(host, number)) return ok(variable, `${number} on ${host} is free`)
    if (yield* isListening(host, number))
      return ok(variable, `${number} on ${host} is in use: by the service, if it is running`)
    return wrong(variable, `${number} on ${host} can't be used`, `Check HOST, or set ${variable} to a port above 1023.`)
  })

const ports: Examination = ({ bounceSmtpPort, consolePort, host, pagesPort, port: apiPort, workerPort }) =>
  Effect.all([
    port(host, "PORT", apiPort),
    port(host, "PAGES_PORT", pagesPort),
    ...(consolePort === 0 ? [] : [port(host, "CONSOLE_PORT", consolePort)]),
    ...(bounceSmtpPort === null ? [] : [port(host, "BOUNCE_SMTP_PORT", bounceSmtpPort)]),
    ...(workerPort === null ? [] : [port(host, "WORKER_PORT", workerPort)]),
  ])

/** Runs all checks in parallel. */
export const examine = (config: Configuration): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.map(
    Effect.forEach(
      [folder, fileModes, database, files, mailServer, names, ai, identityProvider, ports],
      (examination) => examination(config),
      {
        concurrency: "unbounded",
      },
    ),
    (findings) => findings.flat(),
  )
