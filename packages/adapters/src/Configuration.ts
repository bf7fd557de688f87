// The configuration of a process: each environment variable, its default, and its errors in sentences.
import { activity_days_min, audit_days_min } from "@tentpole/core/ports/Maintenance"
import { commonSettings, type HookKeys, type Retention } from "@tentpole/core/kernel/Settings"
import { Redacted, Result, Schema } from "effect"
import { resolve } from "node:path"
import { parseSmtpUrl } from "./smtp/SmtpUrl.ts"
import { html_size_bytes_max } from "@tentpole/core/documents/Html"

/** Why the process can't start and what to change, in one sentence. */
export class BadConfiguration extends Schema.TaggedError<BadConfiguration>()("BadConfiguration", {
  reason: Schema.String,
}) {
  override get message(): string {
    return this.reason
  }
}

export interface Configuration {
  readonly production: boolean
  readonly host: string
  readonly port: number
  readonly pagesPort: number
  readonly publicApiUrl: string
  readonly publicPagesUrl: string
  readonly pagesHost: string
  /** Null: an embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: Redacted.Redacted | null
  readonly databaseMigrationUrl: Redacted.Redacted | null
  readonly dataDir: string
  /** Null: mail is written to files under `dataDir`. */
  readonly smtpUrl: Redacted.Redacted | null
  readonly smtpConnections: number
  readonly acceptMeansDelivered: boolean
  /** The address that receives returned mail over SMTP; null: no listener. */
  readonly bounceSmtpPort: number | null
  readonly hooks: HookKeys
  /** The address of a worker's health and metrics endpoints; null: no listener. */
  readonly workerPort: number | null
  /** How long a stopping process reports that it is not ready before it stops listening. */
  readonly drain_s: number
  /** Null: files under `dataDir`. */
  readonly s3: { readonly bucket: string; readonly endpoint: string | null; readonly region: string } | null
  /** The maximum size of an API request's body. */
  readonly json_bytes_max: number
  /** The maximum size of the HTML of an email, template or page. */
  readonly html_bytes_max: number
  /** The maximum size of an import file. */
  readonly import_bytes_max: number
  readonly asset_bytes_max: number
  readonly ai: {
    readonly provider: "fake" | "openai" | "anthropic"
    readonly apiKey: Redacted.Redacted | null
    readonly baseUrl: string | null
    readonly model: string | null
  }
  /** Null: created and stored under `dataDir`, in development only. */
  readonly appSecret: Redacted.Redacted | null
  readonly appSecretPrevious: Redacted.Redacted | null
  readonly sending: "on" | "held"
  readonly retention: Retention
  readonly bootstrapApiKey: Redacted.Redacted | null
  /** Null: the administration API is off. */
  readonly adminToken: Redacted.Redacted | null
  /** 0: no limit. */
  readonly requestsPerMinute_max: number
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: ReadonlyArray<string>
  /** The OTLP collector of traces; null: tracing is off. */
  readonly otlpUrl: string | null
  readonly logLevel: "debug" | "info" | "warn" | "error"
  readonly logFormat: "pretty" | "json"
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
  return {
    wrong,
    text,
    complain,
    secret: (name: string) => {
      const value = text(name)
      return value === null ? null : Redacted.make(value)
    },
    integer,
    /** Null: no expiry. */
    days: (name: string, minimum: number): number | null =>
      text(name) === null ? null : integer(name, 0, minimum, 36_500),
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
    url: (name: string, schemes: ReadonlyArray<string>, example: string): string | null => {
      const value = text(name)
      if (value === null) return null
      const parsed = URL.canParse(value) ? new URL(value) : undefined
      return parsed !== undefined && schemes.includes(parsed.protocol) && parsed.hostname !== ""
        ? value
        : complain(name, `must be a URL like ${example}`, null)
    },
  }
}

const redacted = (value: string | null): Redacted.Redacted | null => (value === null ? null : Redacted.make(value))
/** The parts of a comma-separated list. */
const listed = (text: string | null): ReadonlyArray<string> =>
  (text ?? "").split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]))
const origin = (url: string | null, instead: string): string => (url === null ? instead : url.replace(/\/+$/, ""))

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

const mebibyte = 2 ** 20

/** The size limit of one S3 PUT. */
const largest_put_bytes = 5 * 2 ** 30

const postgresExample = "postgres://user:password@host:5432/database"

const topicArn = /^arn:aws(?:-cn|-us-gov)?:sns:[a-z0-9-]+:\d{12}:[\w-]+$/

const hooks = (from: ReturnType<typeof reader>): HookKeys => {
  const sesTopicArns = listed(from.text("SES_TOPIC_ARN"))
  if (!sesTopicArns.every((arn) => topicArn.test(arn))) {
    from.complain("SES_TOPIC_ARN", "must be topics like arn:aws:sns:eu-west-1:123456789012:mail, by commas", null)
  }
  const sendgridPublicKey = from.text("SENDGRID_WEBHOOK_PUBLIC_KEY")
  if (sendgridPublicKey !== null && !/^[A-Za-z0-9+/]{100,}={0,2}$/.test(sendgridPublicKey)) {
    from.complain("SENDGRID_WEBHOOK_PUBLIC_KEY", "must be the verification key as SendGrid shows it, in base64", null)
  }
  const postmarkLogin = from.secret("POSTMARK_HOOK_LOGIN")
  if (postmarkLogin !== null && !/^[^:\s]+:\S{16,}$/.test(Redacted.value(postmarkLogin))) {
    from.complain("POSTMARK_HOOK_LOGIN", "must be user:password, the password of at least 16 characters", null)
  }
  return {
    sesTopicArns,
    sendgridPublicKey,
    mailgunSigningKey: from.secret("MAILGUN_WEBHOOK_SIGNING_KEY"),
    postmarkLogin,
  }
}

const read = (environment: Environment, from: ReturnType<typeof reader>): Configuration => {
  const production = environment["NODE_ENV"] === "production"
  const host = from.text("HOST") ?? "127.0.0.1"
  const port = from.integer("PORT", 8080, 1, 65_535)
  const pagesPort = from.integer("PAGES_PORT", 8081, 1, 65_535)
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
  const bucket = from.text("S3_BUCKET")
  const region = from.text("S3_REGION") ?? "us-east-1"
  const endpoint = from.url("S3_ENDPOINT", ["http:", "https:"], "https://s3.example.com")
  const databaseUrl = redacted(from.url("DATABASE_URL", ["postgres:", "postgresql:"], postgresExample))
  return {
    production,
    host,
    port,
    pagesPort,
    publicApiUrl: origin(
      from.url("PUBLIC_API_URL", ["http:", "https:"], "https://api.example.com"),
      `http://${shown}:${port}`,
    ),
    publicPagesUrl: origin(
      from.url("PUBLIC_PAGES_URL", ["http:", "https:"], "https://pages.example.com"),
      `http://${shown === "127.0.0.1" ? "localhost" : shown}:${pagesPort}`,
    ),
    pagesHost: from.text("PAGES_HOST")?.toLowerCase() ?? "localhost",
    databaseUrl,
    databaseMigrationUrl:
      redacted(from.url("DATABASE_MIGRATION_URL", ["postgres:", "postgresql:"], postgresExample)) ?? databaseUrl,
    dataDir: resolve(from.text("DATA_DIR") ?? "./data"),
    smtpUrl: smtpUrl(from),
    smtpConnections: from.integer("SMTP_CONNECTIONS", 20, 1, 500),
    acceptMeansDelivered: from.flag("SMTP_ACCEPT_MEANS_DELIVERED", true),
    bounceSmtpPort: from.text("BOUNCE_SMTP_PORT") === null ? null : from.integer("BOUNCE_SMTP_PORT", 2525, 1, 65_535),
    hooks: hooks(from),
    workerPort: from.text("WORKER_PORT") === null ? null : from.integer("WORKER_PORT", 8082, 1, 65_535),
    drain_s: from.integer("DRAIN_SECONDS", production ? 5 : 0, 0, 15),
    s3: bucket === null ? null : { bucket, endpoint, region },
    json_bytes_max: from.integer("JSON_BYTES_MAX", 5 * mebibyte, mebibyte, 100 * mebibyte),
    html_bytes_max: from.integer("HTML_BYTES_MAX", commonSettings.html_bytes_max, mebibyte / 16, html_size_bytes_max),
    import_bytes_max: from.integer("IMPORT_BYTES_MAX", commonSettings.import_bytes_max, mebibyte, largest_put_bytes),
    asset_bytes_max: from.integer("ASSET_BYTES_MAX", commonSettings.asset_bytes_max, mebibyte, 500 * mebibyte),
    ai: {
      provider: from.word("AI_PROVIDER", ["fake", "openai", "anthropic"], "fake"),
      apiKey: from.secret("AI_API_KEY"),
      baseUrl: from.url("AI_BASE_URL", ["http:", "https:"], "https://api.example.com/v1"),
      model: from.text("AI_MODEL"),
    },
    appSecret: from.secret("APP_SECRET"),
    appSecretPrevious: from.secret("APP_SECRET_PREVIOUS"),
    sending: from.word("SENDING", ["on", "held"], "on"),
    retention: {
      activity_days: from.days("ACTIVITY_DAYS", activity_days_min),
      audit_days: from.days("AUDIT_DAYS", audit_days_min),
    },
    bootstrapApiKey: from.secret("BOOTSTRAP_API_KEY"),
    adminToken: from.secret("ADMIN_TOKEN"),
    requestsPerMinute_max: from.integer("RATE_LIMIT_PER_MINUTE", 1200, 0, 1_000_000),
    trustProxy: listed(from.text("TRUST_PROXY")),
    otlpUrl: from.url("OTLP_URL", ["http:", "https:"], "http://collector:4318")?.replace(/\/+$/, "") ?? null,
    logLevel: from.word("LOG_LEVEL", ["debug", "info", "warn", "error"], "info"),
    logFormat: from.word("LOG_FORMAT", ["pretty", "json"], production ? "json" : "pretty"),
  }
}

const secret_length_min = 32

/** Reads the environment. One sentence reports everything that is wrong with it. */
export const configuration = (environment: Environment): Result.Result<Configuration, BadConfiguration> => {
  const from = reader(environment)
  const settings = read(environment, from)
  const { appSecret, bootstrapApiKey } = settings
  if (settings.production && appSecret === null) {
    from.complain(
      "APP_SECRET",
      "must be set in production: it signs every link. `openssl rand -base64 32` makes one",
      null,
    )
  }
  if (appSecret !== null && Redacted.value(appSecret).length < secret_length_min) {
    from.complain("APP_SECRET", `must have at least ${secret_length_min} characters`, null)
  }
  if (bootstrapApiKey !== null && !/^[A-Za-z0-9_-]{32,128}$/.test(Redacted.value(bootstrapApiKey))) {
    from.complain("BOOTSTRAP_API_KEY", "must be 32 to 128 characters of A-Z, a-z, 0-9, _ and -", null)
  }
  if (settings.adminToken !== null && !/^[\x21-\x7e]{32,}$/.test(Redacted.value(settings.adminToken))) {
    from.complain(
      "ADMIN_TOKEN",
      "must have at least 32 characters, without spaces. `openssl rand -base64 32` makes one",
      null,
    )
  }
  if (settings.ai.provider !== "fake" && settings.ai.apiKey === null) {
    from.complain("AI_API_KEY", `must be set for AI_PROVIDER=${settings.ai.provider}`, null)
  }
  if (settings.port === settings.pagesPort) from.complain("PAGES_PORT", "must differ from PORT", null)
  if (settings.bounceSmtpPort === settings.port || settings.bounceSmtpPort === settings.pagesPort) {
    from.complain("BOUNCE_SMTP_PORT", "must differ from PORT and PAGES_PORT", null)
  }
  if (
    settings.workerPort !== null &&
    [settings.port, settings.pagesPort, settings.bounceSmtpPort].includes(settings.workerPort)
  ) {
    from.complain("WORKER_PORT", "must differ from PORT, PAGES_PORT and BOUNCE_SMTP_PORT", null)
  }
  return from.wrong.length === 0
    ? Result.succeed(settings)
    : Result.fail(new BadConfiguration({ reason: `The configuration is not usable: ${from.wrong.join("; ")}.` }))
}
