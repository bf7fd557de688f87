// What the service is told about its surroundings, as far as the rules need it.
import { Context, type Redacted } from "effect"

export interface HookKeys {
  /** The topics of SNS by which Amazon SES reports. */
  readonly sesTopicArns: ReadonlyArray<string>
  /** The public key of SendGrid's signed event webhook. */
  readonly sendgridPublicKey: string | null
  /** Mailgun's HTTP webhook signing key. */
  readonly mailgunSigningKey: Redacted.Redacted | null
  /** `user:password`, as it stands in the address that Postmark was given. */
  readonly postmarkLogin: Redacted.Redacted | null
}

/** Retention of contact data and of the audit log in days; null keeps rows for ever. */
export interface Retention {
  /** Contact timelines. They are deleted by whole months. */
  readonly activity_days: number | null
  /** The audit log. */
  readonly audit_days: number | null
}

export class Settings extends Context.Service<
  Settings,
  {
    /** Origin of the API, without a final slash: upload and download links are made of it. */
    readonly publicApiUrl: string
    /** Origin of the pages listener, without a final slash: tracking, unsubscribe and view links are made of it. */
    readonly publicPagesUrl: string
    /** Pages live at `<slug>.<pagesHost>`, with scheme and port of `publicPagesUrl`. */
    readonly pagesHost: string
    /** Where mail is received: bounces, and what SPF and MX records name. */
    readonly mailHost: string
    /** `held`: everything runs, but no mail leaves and no schedule fires. */
    readonly sending: "on" | "held"
    /** The largest HTML that an email, a template or a page has; at most `html_size_bytes_max`. */
    readonly html_bytes_max: number
    /** The largest file that an import takes. */
    readonly import_bytes_max: number
    /** The largest file that is uploaded to a tent. */
    readonly asset_bytes_max: number
    /** Connections to the mail server, per worker. */
    readonly smtpConnections: number
    /** The mail server is the final one: its acceptance is delivery. */
    readonly acceptMeansDelivered: boolean
    /** By which the calls of providers are known; a provider without an entry has no hook. */
    readonly hooks: HookKeys
    /** How many requests an API key may make; 0: as many as it likes. */
    readonly requestsPerMinute_max: number
    /** How long timelines and the audit log are kept. */
    readonly retention: Retention
    /** In development every sending domain under `.test` and `.localhost` counts as verified. */
    readonly developmentDomains: boolean
  }
>()("tentpole/Settings") {}

/** What is so where nobody says otherwise. Where the service is, and whether it sends, has to be said. */
export const commonSettings = {
  html_bytes_max: 2 * 2 ** 20,
  import_bytes_max: 500 * 2 ** 20,
  asset_bytes_max: 25 * 2 ** 20,
  smtpConnections: 1,
  acceptMeansDelivered: true,
  hooks: { sesTopicArns: [], sendgridPublicKey: null, mailgunSigningKey: null, postmarkLogin: null },
  requestsPerMinute_max: 0,
  retention: { activity_days: null, audit_days: null },
  developmentDomains: false,
} satisfies Partial<Settings["Service"]>
