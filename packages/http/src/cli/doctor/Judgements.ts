// What the facts mean that a doctor has gathered: decided apart from the asking, so that each can be tried.
import type { Configuration } from "@tentpole/adapters/Configuration"
import type { Diagnosis } from "@tentpole/adapters/postgres/operations/Diagnosis"
import { type Finding, ok, warning, wrong } from "./Finding.ts"

/** Links expire by one clock and leases by another: further apart than this, people notice. */
const skew_ms_max = 5_000
/** What one HTTP process and one worker open. */
const connections_wanted = 45

export const judgeDatabase = (it: Diagnosis): ReadonlyArray<Finding> => [
  it.version >= 150_000
    ? ok("database", `PostgreSQL ${Math.floor(it.version / 10_000)} answers`)
    : wrong("database", `PostgreSQL ${Math.floor(it.version / 10_000)} is too old`, "Use PostgreSQL 15 or later."),
  it.unbound
    ? wrong(
        "database role",
        "tentpole_service is superuser or has BYPASSRLS",
        "alter role tentpole_service nosuperuser nobypassrls;",
      )
    : it.mayBeService
      ? ok("database role", `${it.user} may act as tentpole_service`)
      : wrong(
          "database role",
          `${it.user} may not act as tentpole_service`,
          `Run \`tentpole migrate\`, or let an administrator run: create role tentpole_service nologin; grant tentpole_service to ${it.user};`,
        ),
  it.unknown.length > 0
    ? warning(
        "migrations",
        `a newer version has migrated here: ${it.unknown.join(", ")}`,
        "Update this installation to that version.",
      )
    : it.pending.length > 0
      ? wrong("migrations", `${it.pending.length} have not run: ${it.pending.join(", ")}`, "Run `tentpole migrate`.")
      : ok("migrations", "all have run"),
  Math.abs(it.ahead_ms) <= skew_ms_max
    ? ok("clock", "this machine and the database have the same time")
    : wrong(
        "clock",
        `the database is ${Math.abs(it.ahead_ms)} ms ${it.ahead_ms > 0 ? "ahead of" : "behind"} this machine`,
        "Let both set their clocks by NTP.",
      ),
  it.connections_free >= connections_wanted
    ? ok("connections", `${it.connections_free} are free`)
    : warning(
        "connections",
        `${it.connections_free} are free; an HTTP process and a worker open up to ${connections_wanted}`,
        "Raise max_connections, or close what nobody needs.",
      ),
]

/** Why a database said nothing. */
export const judgeSilence = (reason: string): Finding =>
  reason === "AuthenticationError"
    ? wrong("database", "PostgreSQL refused the login", "Check user and password in DATABASE_URL.")
    : reason === "AuthorizationError"
      ? wrong("database", "the user may not use this database", "Grant it CONNECT, or name another in DATABASE_URL.")
      : wrong(
          "database",
          `PostgreSQL can't be reached (${reason})`,
          "Check DATABASE_URL, and that the server is running and lets this machine in.",
        )

export const judgeFolder = (folder: string, reason: string): Finding =>
  wrong("files", `${folder} can't be used (${reason})`, "Let this user write the folder.")

/** What S3 and its client call a failure: how it is, and what mends it. */
const refusals: Readonly<Record<string, readonly [says: string, mend: string]>> = {
  SignatureDoesNotMatch: [
    "refuses the signature: the secret is not that of the access key",
    "Set AWS_SECRET_ACCESS_KEY to the secret that AWS_ACCESS_KEY_ID was made with.",
  ],
  InvalidAccessKeyId: ["does not know the access key", "Set AWS_ACCESS_KEY_ID to one that is there and active."],
  CredentialsProviderError: [
    "is not asked, since there are no AWS credentials",
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role.",
  ],
  ExpiredToken: ["refuses credentials that have expired", "Renew the AWS credentials."],
  AccessDenied: [
    "refuses what these credentials ask of it",
    "Let them get, put, list and delete objects, and list the bucket.",
  ],
  NoSuchBucket: ["is not there", "Make it, or name another in S3_BUCKET; check S3_ENDPOINT and S3_REGION."],
  PermanentRedirect: ["is in another region", "Set S3_REGION to the bucket's."],
  AuthorizationHeaderMalformed: ["is in another region", "Set S3_REGION to the bucket's."],
  RequestTimeTooSkewed: ["has another time than this machine", "Let this machine set its clock by NTP."],
}

/** Why a bucket took no file, or gave none back. */
export const judgeBucket = (bucket: string, reason: string): Finding => {
  const known = Object.hasOwn(refusals, reason) ? refusals[reason] : undefined
  if (known !== undefined) return wrong("files", `the bucket ${bucket} ${known[0]}`, known[1])
  return wrong(
    "files",
    `the bucket ${bucket} can't be used (${reason})`,
    "Check S3_BUCKET, S3_ENDPOINT and S3_REGION, and that the AWS credentials may get, put, list and delete objects.",
  )
}

export const judgeAi = (provider: string, status: number): Finding => {
  if (status === 401 || status === 403)
    return wrong("AI", `${provider} refuses the key`, "Set AI_API_KEY to a good one.")
  if (status === 429)
    return warning("AI", `${provider} is asked too often, or is not paid`, "Look at your account there.")
  if (status >= 500) return warning("AI", `${provider} answers ${status}`, "Try again later.")
  // A server that is only compatible may have no list of models, and be right all the same.
  return ok("AI", `${provider} answers`)
}

const isLocal = (url: string): boolean => /^(localhost|127\.|0\.|\[::1\]|.*\.localhost$)/.test(new URL(url).hostname)

/** What the settings say by themselves, without asking anybody. */
export const judgeSettings = (it: Configuration): ReadonlyArray<Finding> => {
  const live = (name: string, url: string): Finding =>
    it.production && isLocal(url)
      ? wrong(name, `${url} leads nowhere for anybody else`, `Set ${name} to the address that the world has for it.`)
      : it.production && !url.startsWith("https://")
        ? warning(name, `${url} is not encrypted`, "Put a proxy with TLS in front, and name its https address.")
        : ok(name, url)
  return [
    it.production
      ? ok("NODE_ENV", "production")
      : warning(
          "NODE_ENV",
          "development: sending domains under .test count as verified",
          "Set NODE_ENV=production to serve people.",
        ),
    it.appSecret === null
      ? warning(
          "APP_SECRET",
          "made and kept in DATA_DIR",
          "Set it before there is a second machine: `openssl rand -base64 32`.",
        )
      : ok("APP_SECRET", "set"),
    live("PUBLIC_API_URL", it.publicApiUrl),
    live("PUBLIC_PAGES_URL", it.publicPagesUrl),
    it.sending === "held"
      ? warning(
          "SENDING",
          "held: no mail leaves and no schedule fires",
          "Set SENDING=on when you have looked at everything.",
        )
      : ok("SENDING", "on"),
    it.adminToken === null ? ok("ADMIN_TOKEN", "unset: no administration over HTTP") : ok("ADMIN_TOKEN", "set"),
    it.requestsPerMinute_max === 0
      ? warning("RATE_LIMIT_PER_MINUTE", "0: no key is limited", "Leave it unset for 1,200 a minute.")
      : ok("RATE_LIMIT_PER_MINUTE", `${it.requestsPerMinute_max} for each key and process`),
  ]
}
