// Deployment settings of tests.
import { Layer } from "effect"
import { commonSettings, Settings } from "../../src/kernel/Settings.ts"

export const testSettings: Settings["Service"] = {
  ...commonSettings,
  publicApiUrl: "http://api.test",
  publicPagesUrl: "http://pages.test",
  pagesHost: "pages.test",
  publicConsoleUrl: "http://localhost:8083",
  mailHost: "mail.test",
  sending: "on",
  smtpConnections: 2,
  developmentDomains: true,
}

/** These settings with some of them replaced. */
export const settingsLayer = (different: Partial<Settings["Service"]> = {}) =>
  Layer.succeed(Settings, Settings.of({ ...testSettings, ...different }))
