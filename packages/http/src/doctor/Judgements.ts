// Interpretation of the facts that the doctor has collected. Pure, so that each case can be tested.
import type { Configuration } from "@tentpole/adapters/Configuration"
import type { Diagnosis } from "@tentpole/adapters/postgres/operations/Diagnosis"
import type { JournalVerdict } from "@tentpole/core/operations/restore/Proof"
import { isLocalHost } from "@tentpole/core/kernel/values/LocalHost"
import { isPermitted, parseAddress, parseNetwork } from "@tentpole/core/webhooks/NetworkAddress"
import { isKnown, judgeCluster } from "./Cluster.ts"
import { type Finding, ok, warning, wrong } from "./Finding.ts"

/** Maximum clock difference: links and leases expire by different clocks. */
const skew_ms_max = 5_000
/** Events of an endpoint with a batch wait for half a minute at most. */
const webhook_lag_s_max = 60
/** Messages are claimed at once: one that is due for longer waits for something. */
const message_lag_s_max = 10
/** One connection for messages, and two for blasts and flows. */
const smtp_connections_wanted = 3
/** Connections of one HTTP process and one worker. */
const connections_wanted = 45

const judgeWebhooks = (it: Diagnosis): Finding =>
  it.webhooks.disabled > 0
    ? warning(
        "webhooks",
        `${it.webhooks.disabled} endpoints were disabled because they did not work`,
        "`tentpole webhook list` shows why. Fix the receiver, then enable the endpoint.",
      )
    : it.webhooks.lag_s > webhook_lag_s_max
      ? warning(
          "webhooks",
          `events wait for ${Math.round(it.webhooks.lag_s)} s until an endpoint takes them over`,
          "Check that a worker runs, and that SENDING is not held.",
        )
      : ok("webhooks", "every enabled endpoint has its events")

const judgeMessages = (it: Diagnosis): ReadonlyArray<Finding> => [
  it.messages.lag_s > message_lag_s_max
    ? warning(
        "messages",
        `a single message has been due for ${Math.round(it.messages.lag_s)} s`,
        "Check that a worker runs, that the mail server answers, and that SENDING is not held.",
      )
    : ok("messages", "no single message waits"),
  it.messages.shared_count > 0
    ? warning(
        "senders",
        `${it.messages.shared_count} workspaces send single messages and marketing from the same address`,
        "Use another sender address for messages, so that complaints about marketing do not keep them out.",
      )
    : ok("senders", "messages and marketing have different sender addresses"),
]

const judgeConsent = ({ consent }: Diagnosis): ReadonlyArray<Finding> => [
  consent.unnamed_count > 0
    ? warning(
        "consent",
        `${consent.unnamed_count} workspaces with topics have no postal address or no privacy_url`,
        "Set both with `tentpole workspace update`: people who subscribe must know who asks, and what for.",
      )
    : ok("consent", "every workspace with topics has a postal address and a privacy page"),
  consent.untopical_count > 0
    ? warning(
        "topics",
        `${consent.untopical_count} workspaces with topics sent marketing blasts without one`,
        "Choose a topic for each blast: people who left a topic still get what is sent without one.",
      )
    : ok("topics", "workspaces with topics send their blasts with one"),
  consent.held_count > 0
    ? warning(
        "confirmations",
        `${consent.held_count} workspaces reached their limit of unconfirmed subscriptions an hour`,
        "Further people get no confirmation mail: raise confirmations_per_hour if the requests are genuine.",
      )
    : ok("confirmations", "no workspace has reached its limit of unconfirmed subscriptions"),
]

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
      ? ok(
          "database role",
          it.user === "tentpole_service"
            ? "the service logs in as tentpole_service"
            : `${it.user} may act as tentpole_service`,
        )
      : wrong(
          "database role",
          `${it.user} may not act as tentpole_service`,
          `Run \`tentpole migrate\`, or let an administrator run: create role tentpole_service nologin; grant tentpole_service to ${it.user};`,
        ),
  ...(it.lacking.length === 0
    ? []
    : [
        wrong(
          "session settings",
          "the pooler passes no settings on, and the login of DATABASE_URL lacks them as defaults",
          it.lacking.join(" "),
        ),
      ]),
  it.unknown.length > 0
    ? warning(
        "migrations",
        `a newer version has migrated here: ${it.unknown.join(", ")}`,
        "Update this installation to that version.",
      )
    : it.pending.length > 0
      ? wrong("migrations", `${it.pending.length} have not run: ${it.pending.join(", ")}`, "Run `tentpole migrate`.")
      : ok("migrations", "all have run"),
  it.restored_at === null
    ? ok("restore", "no blast or flow waits after a restore from a backup")
    : warning(
        "restore",
        `the database was restored from a backup (recognised at ${it.restored_at}): its blasts and flows send nothing`,
        "`tentpole restore status` lists them; `tentpole restore release --all` lets them send.",
      ),
  ...judgeCluster(it.cluster),
  ...(isKnown(it.cluster) ? [judgeWebhooks(it), ...judgeMessages(it), ...judgeConsent(it)] : []),
  Math.abs(it.ahead_ms) <= skew_ms_max
    ? ok("clock", "this machine and the database have the same time")
    : wrong(
        "clock",
        `the database is ${Math.abs(it.ahead_ms)} ms ${it.ahead_ms > 0 ? "ahead of" : "behind"} this machine`,
        "Synchronize both clocks with NTP.",
      ),
  it.connections_free >= connections_wanted
    ? ok("connections", `${it.connections_free} are free`)
    : warning(
        "connections",
        `${it.connections_free} are free; one HTTP process and one worker use up to ${connections_wanted}`,
        "Increase max_connections, or close unused connections.",
      ),
]

/** `verdict`: what the journal proves of the last minutes; null: the file store does not answer. */
export const judgeJournal = (
  on: boolean,
  { unjournaled_at }: Pick<Diagnosis, "unjournaled_at">,
  verdict: JournalVerdict | null,
): Finding => {
  if (!on) return ok("SEND_JOURNAL", "off: after a restore, recipients without an outcome become unconfirmed")
  if (verdict === "complete") return ok("SEND_JOURNAL", "on, and the journal of the last minutes is complete")
  if (verdict === "missing_records") {
    return warning(
      "SEND_JOURNAL",
      "on, but the journal of the last minutes has a gap",
      "It proves nothing for a backup from before the gap: back up again when this warning has ended.",
    )
  }
  return verdict === null
    ? warning("SEND_JOURNAL", "on, but the journal can't be read", "Fix the file store: nothing is sent without it.")
    : warning(
        "SEND_JOURNAL",
        `on, but a worker without it ran at ${unjournaled_at}`,
        "Set SEND_JOURNAL=true for every worker. This warning ends ten minutes after the last one without it.",
      )
}

/** The finding for a database that can't be reached. */
export const judgeSilence = (reason: string): Finding =>
  reason === "AuthenticationError"
    ? wrong("database", "PostgreSQL refused the login", "Check user and password in DATABASE_URL.")
    : reason === "AuthorizationError"
      ? wrong(
          "database",
          "the user may not use this database",
          "Grant CONNECT, or use another database in DATABASE_URL.",
        )
      : wrong(
          "database",
          `PostgreSQL can't be reached (${reason})`,
          "Check DATABASE_URL, and that the server is running and accepts connections from this machine.",
        )

export const judgeFolder = (folder: string, reason: string): Finding =>
  wrong("files", `${folder} can't be used (${reason})`, "Give this user write access to the folder.")

/** Failures of S3 and its client, with remedies. */
const refusals: Readonly<Record<string, readonly [says: string, mend: string]>> = {
  SignatureDoesNotMatch: [
    "refuses the signature: the secret is not that of the access key",
    "Set AWS_SECRET_ACCESS_KEY to the secret of AWS_ACCESS_KEY_ID.",
  ],
  InvalidAccessKeyId: ["does not know the access key", "Set AWS_ACCESS_KEY_ID to an existing, active key."],
  CredentialsProviderError: [
    "can't be used without AWS credentials",
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role.",
  ],
  ExpiredToken: ["refuses credentials that have expired", "Renew the AWS credentials."],
  AccessDenied: [
    "denies access to these credentials",
    "Allow them to get, put, list and delete objects, and to list the bucket.",
  ],
  NoSuchBucket: ["does not exist", "Create it, or set S3_BUCKET to another one; check S3_ENDPOINT and S3_REGION."],
  PermanentRedirect: ["is in another region", "Set S3_REGION to the region of the bucket."],
  AuthorizationHeaderMalformed: ["is in another region", "Set S3_REGION to the region of the bucket."],
  RequestTimeTooSkewed: ["has a different time than this machine", "Synchronize the clock of this machine with NTP."],
}

/** The finding for a bucket that can't be used. */
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
    return wrong("AI", `${provider} refuses the key`, "Set AI_API_KEY to a valid key.")
  if (status === 429)
    return warning("AI", `${provider} reports too many requests or no credit`, "Check your account with the provider.")
  if (status >= 500) return warning("AI", `${provider} answers ${status}`, "Try again later.")
  // A compatible server may lack the list of models.
  return ok("AI", `${provider} answers`)
}

/** Findings about the settings, without requests. */
export const judgeSettings = (it: Configuration): ReadonlyArray<Finding> => {
  const live = (name: string, url: string, why = ""): Finding =>
    it.production && isLocalHost(new URL(url).hostname)
      ? wrong(name, `${url} can't be reached from elsewhere`, `Set ${name} to the public URL.`)
      : it.production && !url.startsWith("https://")
        ? warning(name, `${url} is not encrypted${why}`, "Use a proxy with TLS, and set its https URL.")
        : ok(name, url)
  return [
    it.production
      ? ok("NODE_ENV", "production")
      : warning(
          "NODE_ENV",
          "development: sending domains under .test count as verified",
          "Set NODE_ENV=production for production.",
        ),
    it.appSecret === null
      ? warning(
          "APP_SECRET",
          "generated and stored in DATA_DIR",
          "Set it before you add a second machine: `openssl rand -base64 32`.",
        )
      : ok("APP_SECRET", "set"),
    live("PUBLIC_API_URL", it.publicApiUrl),
    live("PUBLIC_PAGES_URL", it.publicPagesUrl, ": mail programs unsubscribe with one click over https only"),
    it.sending === "held"
      ? warning("SENDING", "held: no mail is sent and no schedule fires", "Set SENDING=on when everything is checked.")
      : ok("SENDING", "on"),
    it.mail === "smtp" && it.smtpConnections < smtp_connections_wanted
      ? warning(
          "SMTP_CONNECTIONS",
          `${it.smtpConnections}: single messages wait for those of blasts`,
          `Set SMTP_CONNECTIONS to ${smtp_connections_wanted} or more.`,
        )
      : ok("SMTP_CONNECTIONS", `${it.smtpConnections} for each worker`),
    it.adminToken === null ? ok("ADMIN_TOKEN", "unset: no administration over HTTP") : ok("ADMIN_TOKEN", "set"),
    it.requestsPerMinute_max === 0
      ? warning("RATE_LIMIT_PER_MINUTE", "0: keys have no limit", "Leave it unset for 1,200 per minute.")
      : ok("RATE_LIMIT_PER_MINUTE", `${it.requestsPerMinute_max} for each key`),
    judgeNetworks(it.webhooks.allowedNetworks),
  ]
}

/** The addresses at which clouds give out credentials. */
const metadata_addresses = ["169.254.169.254", "fd00:ec2::254"]

/** Where webhooks may go besides public networks. */
const judgeNetworks = (texts: ReadonlyArray<string>): Finding => {
  const name = "WEBHOOK_ALLOWED_NETWORKS"
  const networks = texts.flatMap((text) => parseNetwork(text) ?? [])
  if (networks.some(({ prefix }) => prefix === 0)) {
    return warning(name, "webhooks may go to every address", "Name the networks of your receivers only.")
  }
  const opened = metadata_addresses
    .flatMap((text) => parseAddress(text) ?? [])
    .some((each) => isPermitted(each, networks))
  return opened
    ? warning(name, "webhooks may go where clouds give out credentials", "Leave out 169.254.169.254 and fd00:ec2::254.")
    : ok(name, texts.length === 0 ? "unset: webhooks go to public addresses only" : texts.join(", "))
}
