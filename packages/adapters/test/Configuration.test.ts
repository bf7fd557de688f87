import { configuration } from "@tentpole/adapters/Configuration"
import { scrub } from "@tentpole/adapters/Logging"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"

const read = (environment: Record<string, string>) => Result.getOrThrow(configuration(environment))
const refusal = (environment: Record<string, string>): string => {
  const result = configuration(environment)
  return Result.isFailure(result) ? result.failure.message : assert.fail("it was accepted")
}

describe("readConfiguration", () => {
  it("returns development defaults for an empty environment", () => {
    const config = read({})
    assert.deepStrictEqual(
      [config.port, config.pagesPort, config.host, config.publicApiUrl, config.publicPagesUrl, config.sending],
      [8080, 8081, "127.0.0.1", "http://127.0.0.1:8080", "http://localhost:8081", "on"],
    )
    assert.isNull(config.databaseUrl)
    assert.isNull(config.smtpUrl)
    assert.strictEqual(config.logFormat, "pretty")
  })

  it("derives the address of the console from its port, and takes 0 for none", () => {
    assert.strictEqual(read({ CONSOLE_PORT: "9000" }).publicConsoleUrl, "http://localhost:9000")
    assert.strictEqual(read({ PUBLIC_CONSOLE_URL: "https://a.example/" }).publicConsoleUrl, "https://a.example")
    assert.strictEqual(read({ CONSOLE_PORT: "0" }).consolePort, 0)
    assert.include(
      refusal({ SESSION_IDLE_MINUTES: "1" }),
      "SESSION_IDLE_MINUTES must be a whole number from 5 to 43200",
    )
  })

  it("takes an identity provider over HTTPS or on this machine, with its client", () => {
    const client = { OIDC_CLIENT_ID: "a", OIDC_CLIENT_SECRET: "s" }
    assert.isNull(read({}).oidc)
    assert.deepInclude(read({ OIDC_ISSUER: "https://login.example.org/a", ...client }).oidc, {
      issuer: "https://login.example.org/a",
      clientId: "a",
      roleClaim: null,
      only: false,
    })
    assert.strictEqual(read({ OIDC_ISSUER: "http://localhost:9", ...client }).oidc?.issuer, "http://localhost:9")
    assert.include(
      refusal({ OIDC_ISSUER: "http://login.example.org", ...client }),
      "OIDC_ISSUER must begin with https://",
    )
    assert.include(refusal({ OIDC_ISSUER: "http://localhost.evil.example", ...client }), "OIDC_ISSUER must begin with")
    assert.include(refusal({ OIDC_ISSUER: "https://a.example" }), "OIDC_CLIENT_ID must be set with OIDC_ISSUER")
    assert.include(refusal({ OIDC_ONLY: "true" }), "OIDC_ISSUER must be set for OIDC_ONLY")
  })

  it("treats an empty variable as not set", () => {
    assert.strictEqual(read({ PORT: "", SMTP_URL: " " }).port, 8080)
  })

  it("uses DATABASE_URL for migrations by default", () => {
    const url = "postgres://a:b@localhost/x"
    assert.strictEqual(Redacted.value(read({ DATABASE_URL: url }).databaseMigrationUrl ?? Redacted.make("")), url)
  })

  it("accepts several database servers", () => {
    const url = "postgres://a:b@db1:5432,[::1]:5433,db3/x?sslmode=require"
    assert.strictEqual(Redacted.value(read({ DATABASE_URL: url }).databaseUrl ?? Redacted.make("")), url)
    assert.include(refusal({ DATABASE_URL: "postgres://a:b@db1:x,db2/y" }), "DATABASE_URL must be a URL like")
    assert.include(refusal({ DATABASE_URL: "postgres://a:b@db1,/y" }), "DATABASE_URL must be a URL like")
  })

  it("uses DATABASE_DIRECT_URL for migrations behind a pooler", () => {
    const direct = "postgres://a:b@server/x"
    const config = read({ DATABASE_URL: "postgres://a:b@pooler/x", DATABASE_DIRECT_URL: direct })
    assert.strictEqual(Redacted.value(config.databaseMigrationUrl ?? Redacted.make("")), direct)
  })

  it("reports the variable, its problem and a valid value", () => {
    assert.include(refusal({ PORT: "80a" }), 'PORT must be a whole number from 1 to 65535, got "80a"')
    assert.include(refusal({ PORT: "8081" }), "PAGES_PORT must differ from PORT")
    assert.include(refusal({ PORT: "8083" }), "CONSOLE_PORT must differ from PORT and PAGES_PORT")
    assert.include(refusal({ SMTP_URL: "localhost:25" }), "SMTP_URL must be a URL like smtp://")
    assert.include(refusal({ DATABASE_URL: "mysql://x" }), "DATABASE_URL must be a URL like postgres://")
    assert.include(refusal({ AI_PROVIDER: "openai" }), "AI_API_KEY must be set for AI_PROVIDER=openai")
    assert.include(refusal({ BOOTSTRAP_API_KEY: "short" }), "BOOTSTRAP_API_KEY must be 32 to 128")
  })

  it("limits import files to 500 MB by default", () => {
    assert.strictEqual(read({}).import_bytes_max, 524_288_000)
    assert.strictEqual(read({}).asset_bytes_max, 26_214_400)
    assert.strictEqual(read({}).message_bytes_max, 15_728_640)
    assert.strictEqual(read({ MESSAGE_BYTES_MAX: "1048576" }).message_bytes_max, 1_048_576)
    assert.strictEqual(read({}).html_bytes_max, 2_097_152)
    assert.strictEqual(read({ HTML_BYTES_MAX: "65536" }).html_bytes_max, 65_536)
    assert.strictEqual(read({ ASSET_BYTES_MAX: "1048576" }).asset_bytes_max, 1_048_576)
    assert.strictEqual(read({ IMPORT_BYTES_MAX: "1048576" }).import_bytes_max, 1_048_576)
    for (const wrong of ["0", "1000", "5GB", "6000000000"]) {
      assert.include(
        refusal({ IMPORT_BYTES_MAX: wrong }),
        `IMPORT_BYTES_MAX must be a whole number from 1048576 to 5368709120, got "${wrong}"`,
      )
    }
  })

  it("accepts returned mail and webhooks only when configured", () => {
    const none = read({})
    assert.isNull(none.bounceSmtpPort)
    assert.deepStrictEqual(none.hooks, {
      sesTopicArns: [],
      sendgridPublicKey: null,
      mailgunSigningKey: null,
      postmarkLogin: null,
    })
    const topics = ["arn:aws:sns:eu-west-1:123456789012:mail", "arn:aws-cn:sns:cn-north-1:123456789012:mail"]
    assert.strictEqual(read({ BOUNCE_SMTP_PORT: "25" }).bounceSmtpPort, 25)
    assert.deepStrictEqual(read({ SES_TOPIC_ARN: topics.join(", ") }).hooks.sesTopicArns, topics)
    assert.include(refusal({ BOUNCE_SMTP_PORT: "smtp" }), "BOUNCE_SMTP_PORT must be a whole number")
    assert.include(refusal({ BOUNCE_SMTP_PORT: "8080" }), "BOUNCE_SMTP_PORT must differ from PORT")
    assert.include(refusal({ SES_TOPIC_ARN: "mail" }), "SES_TOPIC_ARN must be topics like arn:aws:sns:")
    assert.include(refusal({ SENDGRID_WEBHOOK_PUBLIC_KEY: "key" }), "SENDGRID_WEBHOOK_PUBLIC_KEY must be")
    const weak = refusal({ POSTMARK_HOOK_LOGIN: "user:hunter2" })
    assert.include(weak, "POSTMARK_HOOK_LOGIN must be user:password")
    assert.notInclude(weak, "hunter2")
  })

  it("sends webhooks to public networks, and to those that are named", () => {
    const { webhooks } = read({})
    assert.deepInclude(webhooks, { allowedNetworks: [], connections: 256, timeout_s: 15 })
    for (const own of ["localhost:8080", "127.0.0.1:8081", "::1:8083"]) assert.include(webhooks.ownAddresses, own)
    const named = read({
      WEBHOOK_ALLOWED_NETWORKS: "10.20.0.0/16, fd12:3456::/32 ,192.168.1.7",
      WEBHOOK_CONNECTIONS: "10",
      WEBHOOK_TIMEOUT_SECONDS: "30",
      HOST: "10.20.0.5",
      WORKER_PORT: "8082",
      PUBLIC_API_URL: "https://API.example.org",
      CONSOLE_PORT: "0",
      PUBLIC_CONSOLE_URL: "http://[fd12:3456::5]:81",
    }).webhooks
    assert.deepInclude(named, {
      allowedNetworks: ["10.20.0.0/16", "fd12:3456::/32", "192.168.1.7"],
      connections: 10,
      timeout_s: 30,
    })
    for (const own of ["10.20.0.5:8082", "api.example.org:443", "fd12:3456::5:81"]) {
      assert.include(named.ownAddresses, own)
    }
    assert.notInclude(named.ownAddresses.join(" "), ":0")
    for (const wrong of ["10.20.0.1/16", "10.20.0.0/33", "example.org", "0x0a.0.0.0/8", "10.0.0.0/8;127.0.0.1"]) {
      assert.include(
        refusal({ WEBHOOK_ALLOWED_NETWORKS: `10.0.0.0/8,${wrong}` }),
        `WEBHOOK_ALLOWED_NETWORKS must be networks like 10.20.0.0/16 or fd12:3456::/32, by commas, without bits behind the prefix, got "${wrong}"`,
      )
    }
    assert.include(refusal({ WEBHOOK_TIMEOUT_SECONDS: "31" }), "must be a whole number from 1 to 30")
    assert.include(refusal({ WEBHOOK_CONNECTIONS: "0" }), "must be a whole number from 1 to 4096")
  })

  it("asks the machine's name servers, or those that are named", () => {
    assert.isNull(read({}).dnsServers)
    assert.deepStrictEqual(read({ DNS_SERVERS: "10.0.0.2:53, [fd00::2]:5353" }).dnsServers, [
      "10.0.0.2:53",
      "[fd00::2]:5353",
    ])
    for (const wrong of [
      "10.0.0.2",
      "dns.example.org:53",
      "fd00::2:53",
      "10.0.0.2:0",
      "10.0.0.2:65536",
      "[10.0.0.2]:53",
    ]) {
      assert.include(
        refusal({ DNS_SERVERS: wrong }),
        `DNS_SERVERS must be addresses like 10.0.0.2:53 or [fd00::2]:53, by commas, got "${wrong}"`,
      )
    }
  })

  it("never repeats a value that may contain a password", { tags: ["attack/secret-leak"] }, () => {
    assert.notInclude(refusal({ SMTP_URL: "ftp://user:hunter2@x" }), "hunter2")
    assert.notInclude(JSON.stringify(read({ SMTP_URL: "smtp://user:hunter2@x.test" })), "hunter2")
  })

  it("requires APP_SECRET in production", () => {
    assert.include(refusal({ NODE_ENV: "production" }), "APP_SECRET must be set in production")
    assert.include(refusal({ APP_SECRET: "short" }), "APP_SECRET must have at least 32 characters")
    assert.strictEqual(read({ NODE_ENV: "production", APP_SECRET: "x".repeat(32) }).logFormat, "json")
  })
})

describe("scrub", () => {
  it("removes addresses, keys and passwords", () => {
    const line = scrub(
      'failed for ann.o\'hara+x@mail.example.com with Bearer abc.def and tp_live_0123456789abcdef at smtp://me:hunter2@host "x@y.zz"',
    )
    for (const secret of ["example.com", "abc.def", "0123456789", "hunter2", "y.zz"]) assert.notInclude(line, secret)
  })

  it("leaves other text unchanged", () => {
    assert.strictEqual(scrub("status=200 route=/v1/contacts/:contact_id"), "status=200 route=/v1/contacts/:contact_id")
  })
})
