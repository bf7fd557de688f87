// The configuration of a process: each environment variable, its default, and its errors in sentences.
import {
  activity_days_min,
  audit_days_min,
  delivery_days_min,
  event_days_max,
  event_days_min,
  flow_event_days_min,
  import_row_days_min,
  message_days_max,
  message_days_min,
  webhook_log_days_max,
  webhook_log_days_min,
} from "@tentpole/core/ports/Maintenance"
import {
  commonSettings,
  type HookKeys,
  type Retention,
  type Settings,
  type WebhookReach,
} from "@tentpole/core/kernel/Settings"
import { parseNetwork } from "@tentpole/core/webhooks/NetworkAddress"
import { Redacted, Result, Schema } from "effect"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { isNameServer, type Listeners, ownAddresses } from "./NetworkSettings.ts"
import { serversOf } from "./postgres/kernel/Primary.ts"
import { parseSmtpUrl } from "./smtp/SmtpUrl.ts"
import { html_size_bytes_max } from "@tentpole/core/documents/Clean"

/** Why the process can't start and what to change, in one sentence. */
export class BadConfiguration extends Schema.TaggedError<BadConfiguration>()("BadConfiguration", {
  reason: Schema.String,
}) {
  override get message(): string {
    return this.reason
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Collects all problems, so that one start reports all of them. */
const reader = (environment: Environment) => {
  const wrong: Array<string> = []
  const text = (name: string): string | null => {
    const value = environment[name]?.trim()
    return value === undefined || value === "" ? null : value
  }
  const complain = <A>(name: string, what: string, instead: A): A => {
    wrong.push(`${name} ${what}`)
    return instead
  }
  const integer = (name: string, instead: number, minimum: number, maximum: number) => {
    const value = text(name)
    if (value === null) return instead
    const number = Number(value)
    return /^\d+$/.test(value) && number >= minimum && number <= maximum
      ? number
      : complain(name, `must be a whole number from ${minimum} to ${maximum}, got "${value}"`, instead)
  }
  /** Text of a form. The error does not repeat it: it may be secret. */
  const shaped = (name: string, shape: RegExp, what: string): string | null => {
    const value = text(name)
    return value === null || shape.test(value) ? value : complain(name, what, null)
  }
  return {
    wrong,
    text,
    complain,
    shaped,
    secret: (name: string, shape = /^/, what = "") => redacted(shaped(name, shape, what)),
    integer,
    /** Null without the variable. */
    optional: (name: string, minimum: number, maximum: number): number | null =>
      text(name) === null ? null : integer(name, 0, minimum, maximum),
    flag: (name: string, instead: boolean) => {
      const value = text(name)?.toLowerCase()
      if (value === undefined) return instead
      if (value === "true" || value === "false") return value === "true"
      return complain(name, `must be true or false, got "${value}"`, instead)
    },
    word: <const Words extends ReadonlyArray<string>>(
      name: string,
      words: Words,
      instead: Words[number],
    ): Words[number] => {
      const value = text(name)
      if (value === null) return instead
      return (
        words.find((word) => word === value) ??
        complain(name, `must be one of ${words.join(", ")}, got "${value}"`, instead)
      )
    },
    /** A URL with one of these schemes. The error does not repeat the URL: it may contain a password. */
    url: (
      name: string,
      example: string,
      schemes: ReadonlyArray<string> = ["http:", "https:"],
      split = (value: string): ReadonlyArray<string> => [value],
    ): string | null => {
      const value = text(name)
      if (value === null) return null
      const isRight = (each: string) => {
        const parsed = URL.canParse(each) ? new URL(each) : undefined
        return parsed !== undefined && schemes.includes(parsed.protocol) && parsed.hostname !== ""
      }
      return split(value).every(isRight) ? value : complain(name, `must be a URL like ${example}`, null)
    },
  }
}

const redacted = (value: string | null): Redacted.Redacted | null => (value === null ? null : Redacted.make(value))
/** The parts of a comma-separated list. */
const listed = (text: string | null): ReadonlyArray<string> =>
  (text ?? "").split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]))
const origin = (url: string): string => url.replace(/\/+$/, "")

/** SMTP_URL. The parser's error does not repeat the password. */
const smtpUrl = (from: ReturnType<typeof reader>): Redacted.Redacted | null => {
  const text = from.text("SMTP_URL")
  if (text === null) return null
  const parsed = parseSmtpUrl(text)
  if (Result.isSuccess(parsed)) return Redacted.make(text)
  return from.complain(
    "SMTP_URL",
    `must be a URL like smtp://user:password@mail.example.com:587: ${parsed.failure.reason}`,
    null,
  )
}

/** With several servers, by commas, one of them is the primary. */
const postgresUrl = (from: ReturnType<typeof reader>, name: string): Redacted.Redacted | null =>
  redacted(from.url(name, "postgres://user:password@host:5432/database", ["postgres:", "postgresql:"], serversOf))

const database = (from: ReturnType<typeof reader>) => {
  const databaseUrl = postgresUrl(from, "DATABASE_URL")
  const databaseDirectUrl = postgresUrl(from, "DATABASE_DIRECT_URL")
  return {
    /** Null: an embedded PostgreSQL under `dataDir`. */
    databaseUrl,
    /** The server itself, when `databaseUrl` is a pooler. Null: `databaseUrl` is the server. */
    databaseDirectUrl,
    databaseMigrationUrl: postgresUrl(from, "DATABASE_MIGRATION_URL") ?? databaseDirectUrl ?? databaseUrl,
  }
}

const mebibyte = 2 ** 20

/** The size limit of one S3 PUT. */
const largest_put_bytes = 5 * 2 ** 30

const days_max = 36_500

const parser_threads_max = 4
/** Half of the processors: the other half answers requests. */
const parser_threads_default = Math.min(parser_threads_max, Math.max(1, Math.floor(availableParallelism() / 2)))

const topicArn = /^arn:aws(?:-cn|-us-gov)?:sns:[a-z0-9-]+:\d{12}:[\w-]+$/

const hooks = (from: ReturnType<typeof reader>): HookKeys => {
  const sesTopicArns = listed(from.text("SES_TOPIC_ARN"))
  if (!sesTopicArns.every((arn) => topicArn.test(arn))) {
    from.complain("SES_TOPIC_ARN", "must be topics like arn:aws:sns:eu-west-1:123456789012:mail, by commas", null)
  }
  return {
    sesTopicArns,
    sendgridPublicKey: from.shaped(
      "SENDGRID_WEBHOOK_PUBLIC_KEY",
      /^[A-Za-z0-9+/]{100,}={0,2}$/,
      "must be the verification key as SendGrid shows it, in base64",
    ),
    mailgunSigningKey: from.secret("MAILGUN_WEBHOOK_SIGNING_KEY"),
    postmarkLogin: from.secret(
      "POSTMARK_HOOK_LOGIN",
      /^[^:\s]+:\S{16,}$/,
      "must be user:password, the password of at least 16 characters",
    ),
  }
}

const retention = (from: ReturnType<typeof reader>): Retention => ({
  activity_days: from.optional("ACTIVITY_DAYS", activity_days_min, days_max),
  audit_days: from.optional("AUDIT_DAYS", audit_days_min, days_max),
  delivery_days: from.optional("DELIVERY_DAYS", delivery_days_min, days_max),
  import_row_days: from.optional("IMPORT_ROW_DAYS", import_row_days_min, days_max),
  flow_event_days: from.optional("FLOW_EVENT_DAYS", flow_event_days_min, days_max),
  event_days: from.integer("EVENT_DAYS", commonSettings.retention.event_days, event_days_min, event_days_max),
  webhook_log_days: from.integer(
    "WEBHOOK_LOG_DAYS",
    commonSettings.retention.webhook_log_days,
    webhook_log_days_min,
    webhook_log_days_max,
  ),
  /** How long the content of single messages is stored: data, bodies and attachments, in whole days. */
  message_days: from.integer("MESSAGE_DAYS", commonSettings.retention.message_days, message_days_min, message_days_max),
})

const sizes = (from: ReturnType<typeof reader>) => ({
  /** The maximum size of an API request's body. */
  json_bytes_max: from.integer("JSON_BYTES_MAX", 5 * mebibyte, mebibyte, 100 * mebibyte),
  html_bytes_max: from.integer("HTML_BYTES_MAX", commonSettings.html_bytes_max, mebibyte / 16, html_size_bytes_max),
  message_bytes_max: from.integer("MESSAGE_BYTES_MAX", commonSettings.message_bytes_max, mebibyte, 40 * mebibyte),
  import_bytes_max: from.integer("IMPORT_BYTES_MAX", commonSettings.import_bytes_max, mebibyte, largest_put_bytes),
  asset_bytes_max: from.integer("ASSET_BYTES_MAX", commonSettings.asset_bytes_max, mebibyte, 500 * mebibyte),
})

/** Where the listeners are, and the addresses under which others reach them. */
const addresses = (from: ReturnType<typeof reader>) => {
  const host = from.text("HOST") ?? "127.0.0.1"
  const port = from.integer("PORT", 8080, 1, 65_535)
  const pagesPort = from.integer("PAGES_PORT", 8081, 1, 65_535)
  const consolePort = from.integer("CONSOLE_PORT", 8083, 0, 65_535)
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
  const publicPagesUrl = origin(
    from.url("PUBLIC_PAGES_URL", "https://pages.example.com") ??
      `http://${shown === "127.0.0.1" ? "localhost" : shown}:${pagesPort}`,
  )
  return {
    host,
    port,
    pagesPort,
    /** 0: no console. */
    consolePort,
    publicApiUrl: origin(from.url("PUBLIC_API_URL", "https://api.example.com") ?? `http://${shown}:${port}`),
    publicPagesUrl,
    pagesHost: from.text("PAGES_HOST")?.toLowerCase() ?? "localhost",
    publicConsoleUrl: new URL(
      from.url("PUBLIC_CONSOLE_URL", "https://console.example.com") ??
        `http://${shown === "127.0.0.1" ? "localhost" : shown}:${consolePort}`,
    ).origin,
    sessionIdle_minutes: from.integer("SESSION_IDLE_MINUTES", commonSettings.sessionIdle_minutes, 5, 43_200),
    mailHost: new URL(publicPagesUrl).hostname,
  }
}

/** Plain HTTP would show the client's secret to the network: it is allowed to this machine only. */
const isSafeIssuer = (issuer: string): boolean =>
  issuer.startsWith("https:") || /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/.test(issuer)

/** The identity provider of the console. */
const oidc = (from: ReturnType<typeof reader>): Settings["Service"]["oidc"] => {
  const issuer = from.url("OIDC_ISSUER", "https://login.example.com")
  const clientId = from.text("OIDC_CLIENT_ID")
  const clientSecret = from.secret("OIDC_CLIENT_SECRET")
  const roleClaim = from.text("OIDC_ROLE_CLAIM")
  const only = from.flag("OIDC_ONLY", false)
  if (issuer === null) return only ? from.complain("OIDC_ISSUER", "must be set for OIDC_ONLY", null) : null
  if (!isSafeIssuer(issuer)) return from.complain("OIDC_ISSUER", "must begin with https://", null)
  if (clientId === null) return from.complain("OIDC_CLIENT_ID", "must be set with OIDC_ISSUER", null)
  return { issuer, clientId, clientSecret, roleClaim, only }
}

/** Where webhooks may go, and how they are sent. */
const webhooks = (from: ReturnType<typeof reader>, listeners: Listeners): WebhookReach => {
  const networks = listed(from.text("WEBHOOK_ALLOWED_NETWORKS"))
  for (const text of networks.filter((each) => parseNetwork(each) === null)) {
    from.complain(
      "WEBHOOK_ALLOWED_NETWORKS",
      `must be networks like 10.20.0.0/16 or fd12:3456::/32, by commas, without bits behind the prefix, got "${text}"`,
      null,
    )
  }
  const { connections, timeout_s } = commonSettings.webhooks
  return {
    allowedNetworks: networks,
    ownAddresses: ownAddresses(listeners),
    connections: from.integer("WEBHOOK_CONNECTIONS", connections, 1, 4_096),
    timeout_s: from.integer("WEBHOOK_TIMEOUT_SECONDS", timeout_s, 1, 30),
  }
}

/** Name servers, as `host:port`; null: the machine's. */
const dnsServers = (from: ReturnType<typeof reader>): ReadonlyArray<string> | null => {
  const servers = listed(from.text("DNS_SERVERS"))
  for (const text of servers.filter((each) => !isNameServer(each))) {
    from.complain("DNS_SERVERS", `must be addresses like 10.0.0.2:53 or [fd00::2]:53, by commas, got "${text}"`, null)
  }
  return servers.length === 0 ? null : servers
}

const read = (environment: Environment, from: ReturnType<typeof reader>) => {
  const production = environment["NODE_ENV"] === "production"
  const bucket = from.text("S3_BUCKET")
  const region = from.text("S3_REGION") ?? "us-east-1"
  const endpoint = from.url("S3_ENDPOINT", "https://s3.example.com")
  const listeners = addresses(from)
  const bounceSmtpPort = from.optional("BOUNCE_SMTP_PORT", 1, 65_535)
  const workerPort = from.optional("WORKER_PORT", 1, 65_535)
  return {
    production,
    ...listeners,
    webhooks: webhooks(from, {
      host: listeners.host,
      ports: [listeners.port, listeners.pagesPort, listeners.consolePort, bounceSmtpPort, workerPort],
      publicUrls: [listeners.publicApiUrl, listeners.publicPagesUrl, listeners.publicConsoleUrl],
    }),
    dnsServers: dnsServers(from),
    oidc: oidc(from),
    developmentDomains: !production,
    ...database(from),
    dataDir: resolve(from.text("DATA_DIR") ?? "./data"),
    /** Null: mail is written to files under `dataDir`. */
    smtpUrl: smtpUrl(from),
    smtpConnections: from.integer("SMTP_CONNECTIONS", 20, 1, 500),
    acceptMeansDelivered: from.flag("SMTP_ACCEPT_MEANS_DELIVERED", true),
    /** The port that receives returned mail over SMTP; null: no listener. */
    bounceSmtpPort,
    hooks: hooks(from),
    /** The port of a worker's health and metrics endpoints; null: no listener. */
    workerPort,
    /** How long a stopping process reports that it is not ready before it stops listening. */
    drain_s: from.integer("DRAIN_SECONDS", production ? 5 : 0, 0, 15),
    /** Null: files under `dataDir`. */
    s3: bucket === null ? null : { bucket, endpoint, region },
    ...sizes(from),
    parsers: {
      threads_max: from.integer("PARSER_THREADS", parser_threads_default, 1, parser_threads_max),
      time_max_ms: from.integer("PARSER_SECONDS", 5, 1, 60) * 1000,
    },
    ai: {
      provider: from.word("AI_PROVIDER", ["fake", "openai", "anthropic"], "fake"),
      apiKey: from.secret("AI_API_KEY"),
      baseUrl: from.url("AI_BASE_URL", "https://api.example.com/v1"),
      model: from.text("AI_MODEL"),
    },
    /** Null: created and stored under `dataDir`, in development only. */
    appSecret: from.secret("APP_SECRET", /^.{32}/s, "must have at least 32 characters"),
    appSecretPrevious: from.secret("APP_SECRET_PREVIOUS"),
    sending: from.word("SENDING", ["on", "held"], "on"),
    mail: from.text("SMTP_URL") === null ? ("files" as const) : ("smtp" as const),
    /** Workers record what they send in the file store. */
    sendJournal: from.flag("SEND_JOURNAL", false),
    sendJournal_days: from.integer("SEND_JOURNAL_DAYS", commonSettings.sendJournal_days, 1, 365),
    retention: retention(from),
    viewLink_days: from.integer("VIEW_LINK_DAYS", commonSettings.viewLink_days, 1, days_max),
    bootstrapApiKey: from.secret(
      "BOOTSTRAP_API_KEY",
      /^[A-Za-z0-9_-]{32,128}$/,
      "must be 32 to 128 characters of A-Z, a-z, 0-9, _ and -",
    ),
    /** The key of commands that call the API. Null: the one that `tentpole start` stored. */
    commandApiKey: from.secret("TENTPOLE_API_KEY"),
    /** Null: the administration API is off. */
    adminToken: from.secret(
      "ADMIN_TOKEN",
      /^[\x21-\x7e]{32,}$/,
      "must have at least 32 characters, without spaces. `openssl rand -base64 32` makes one",
    ),
    /** 0: no limit. */
    requestsPerMinute_max: from.integer("RATE_LIMIT_PER_MINUTE", 1200, 0, 1_000_000),
    /** Addresses and networks whose `X-Forwarded-For` is trusted. */
    trustProxy: listed(from.text("TRUST_PROXY")),
    /** The OTLP collector of traces; null: tracing is off. */
    otlpUrl: from.url("OTLP_URL", "http://collector:4318")?.replace(/\/+$/, "") ?? null,
    logLevel: from.word("LOG_LEVEL", ["debug", "info", "warn", "error"], "info"),
    logFormat: from.word("LOG_FORMAT", ["pretty", "json"], production ? "json" : "pretty"),
  } satisfies Settings["Service"] & Readonly<Record<string, unknown>>
}

/** The settings of a process: those of the use cases, and those that select and configure adapters. */
export type Configuration = Readonly<ReturnType<typeof read>>

/** Reads the environment. One sentence reports everything that is wrong with it. */
export const configuration = (environment: Environment): Result.Result<Configuration, BadConfiguration> => {
  const from = reader(environment)
  const settings = read(environment, from)
  const { ai, bounceSmtpPort, consolePort, pagesPort, port, workerPort } = settings
  if (settings.production && from.text("APP_SECRET") === null) {
    from.complain(
      "APP_SECRET",
      "must be set in production: it signs every link. `openssl rand -base64 32` makes one",
      null,
    )
  }
  if (ai.provider !== "fake" && ai.apiKey === null) {
    from.complain("AI_API_KEY", `must be set for AI_PROVIDER=${ai.provider}`, null)
  }
  if (port === pagesPort) from.complain("PAGES_PORT", "must differ from PORT", null)
  if (consolePort === port || consolePort === pagesPort) {
    from.complain("CONSOLE_PORT", "must differ from PORT and PAGES_PORT", null)
  }
  if (bounceSmtpPort !== null && [port, pagesPort, consolePort].includes(bounceSmtpPort)) {
    from.complain("BOUNCE_SMTP_PORT", "must differ from PORT, PAGES_PORT and CONSOLE_PORT", null)
  }
  if (workerPort !== null && [port, pagesPort, consolePort, bounceSmtpPort].includes(workerPort)) {
    from.complain("WORKER_PORT", "must differ from PORT, PAGES_PORT, CONSOLE_PORT and BOUNCE_SMTP_PORT", null)
  }
  return from.wrong.length === 0
    ? Result.succeed(settings)
    : Result.fail(new BadConfiguration({ reason: `The configuration is not usable: ${from.wrong.join("; ")}.` }))
}
