// The surroundings as tests tell the service of them.
import { Layer } from "effect"
import { Settings } from "../src/Settings.ts"

export const testSettings: Settings["Service"] = {
  publicApiUrl: "http://api.test",
  publicPagesUrl: "http://pages.test",
  pagesHost: "pages.test",
  mailHost: "mail.test",
  sending: "on",
  html_bytes_max: 2 * 2 ** 20,
  import_bytes_max: 500 * 2 ** 20,
  asset_bytes_max: 25 * 2 ** 20,
  smtpConnections: 2,
  acceptMeansDelivered: true,
  hooks: { sesTopicArns: [], sendgridPublicKey: null, mailgunSigningKey: null, postmarkLogin: null },
  requestsPerMinute_max: 0,
  retention: { activity_days: null, audit_days: null },
  developmentDomains: true,
}

/** Those, but for what a test wants to be otherwise. */
export const settingsLayer = (different: Partial<Settings["Service"]> = {}) =>
  Layer.succeed(Settings, Settings.of({ ...testSettings, ...different }))
