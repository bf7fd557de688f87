// The text that `tentpole start` prints when the service is running.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { Redacted } from "effect"
import { join } from "node:path"

const mail = (config: Configuration): string => {
  if (config.sending === "held") return "held (SENDING=held): no mail is sent"
  if (config.smtpUrl === null) return `written as files to ${join(config.dataDir, "outbox")} (set SMTP_URL to send it)`
  const { hostname, port, protocol } = new URL(Redacted.value(config.smtpUrl))
  return `${protocol}//${hostname}${port === "" ? "" : `:${port}`}`
}

const pages = (config: Configuration): string => {
  const { protocol, port } = new URL(config.publicPagesUrl)
  return `${protocol}//default.${config.pagesHost}${port === "" ? "" : `:${port}`}`
}

/** `key` is the raw API key if it was created now. */
export const banner = (config: Configuration, key: string | null): string => {
  const api = config.publicApiUrl
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["API", api],
    ["Docs", `${api}/docs`],
    ["Pages", pages(config)],
    ["Mail", mail(config)],
    [
      "API key",
      key === null
        ? "created at the first start (another one: npm run tentpole -- key create --name another)"
        : `${key}  (not shown again: store it)`,
    ],
  ]
  const request =
    key === null ? `curl ${api}/healthz` : `curl ${api}/v1/contact-lists -H 'Authorization: Bearer ${key}'`
  return [
    "",
    "Tentpole is running. Ctrl-C stops it.",
    "",
    ...rows.map(([name, value]) => `  ${name.padEnd(8)} ${value}`),
    "",
    `  Try:     ${request}`,
    "",
    "",
  ].join("\n")
}
