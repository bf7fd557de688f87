// Deployment settings that use cases read.
import { Context, type Redacted } from "effect"

export interface HookKeys {
  /** ARNs of the SNS topics over which Amazon SES reports. */
  readonly sesTopicArns: ReadonlyArray<string>
  /** The public key of SendGrid's signed event webhook. */
  readonly sendgridPublicKey: string | null
  /** Mailgun's HTTP webhook signing key. */
  readonly mailgunSigningKey: Redacted.Redacted | null
  /** `user:password`, as in the webhook URL that Postmark has. */
  readonly postmarkLogin: Redacted.Redacted | null
}

/** An identity provider, by OpenID Connect. */
export interface OidcSettings {
  /** The provider's address, as its discovery document names it. */
  readonly issuer: string
  readonly clientId: string
  /** Null: the provider knows the client as a public one. */
  readonly clientSecret: Redacted.Redacted | null
  /** The claim with the roles of a user. Null: invitations give roles. */
  readonly roleClaim: string | null
  /** Whether passwords, passkeys and invitations' links are refused. */
  readonly only: boolean
}

/**
 * Retention in days; null keeps rows for ever. Whole months are deleted, of events and webhooks whole days, except of the audit
 * log. Totals stay.
 */
export interface Retention {
  /** Contact timelines, without what the deliveries contain: sent and delivered messages. */
  readonly activity_days: number | null
  readonly audit_days: number | null
  /** Messages of blasts and flows. A month stays while one of its messages has to be sent. */
  readonly delivery_days: number | null
  /** Rows of imports, from the start of the run. */
  readonly import_row_days: number | null
  /** Timelines of flow members. */
  readonly flow_event_days: number | null
  /** Events, and what webhooks say of them. An event that an enabled webhook endpoint has not taken over stays longer. */
  readonly event_days: number
  /** Deliveries of webhooks, and their attempts. */
  readonly webhook_log_days: number
  /** Data, bodies and attachments of single messages. */
  readonly message_days: number
}

/** Where webhooks may go, and how a worker sends them. */
export interface WebhookReach {
  /** Networks besides public ones, as CIDRs. */
  readonly allowedNetworks: ReadonlyArray<string>
  /** The service's own listeners, as `host:port` in lower case: no webhook goes there. */
  readonly ownAddresses: ReadonlyArray<string>
  /** Connections of each worker, to all receivers. */
  readonly connections: number
  /** Time of one request. */
  readonly timeout_s: number
}

export class Settings extends Context.Service<
  Settings,
  {
    /** Origin of the API without a final slash; the base of upload and download links. */
    readonly publicApiUrl: string
    /** Origin of the pages listener without a final slash; the base of tracking, unsubscribe and view links. */
    readonly publicPagesUrl: string
    /** Pages are at `<slug>.<pagesHost>`, with scheme and port of `publicPagesUrl`. */
    readonly pagesHost: string
    /** Origin of the console without a final slash; the base of sign-in links. */
    readonly publicConsoleUrl: string
    /** Host that receives mail: bounces go there, and SPF and MX records name it. */
    readonly mailHost: string
    /** With `held` everything runs, but no mail leaves and no schedule fires. */
    readonly sending: "on" | "held"
    /** Where mail goes: to a mail server, or into files, because none is set. */
    readonly mail: "smtp" | "files"
    /** Maximum size of the HTML of an email, a template or a page; at most `html_size_bytes_max`. */
    readonly html_bytes_max: number
    /** Maximum size of a rendered message. */
    readonly message_bytes_max: number
    /** Maximum size of an import file. */
    readonly import_bytes_max: number
    /** Maximum size of an uploaded asset. */
    readonly asset_bytes_max: number
    /** Connections to the mail server for each worker. */
    readonly smtpConnections: number
    /** True if the mail server is the final one, so that its acceptance counts as delivery. */
    readonly acceptMeansDelivered: boolean
    /** Keys that authenticate providers' webhooks. A provider without a key has no hook. */
    readonly hooks: HookKeys
    /** Requests a minute for each API key; 0 means no limit. */
    readonly requestsPerMinute_max: number
    readonly retention: Retention
    /** How long the send journal is stored. */
    readonly sendJournal_days: number
    /** How long the view link of a message works after it was sent. */
    readonly viewLink_days: number
    /** After so many minutes without a request, a session ends. */
    readonly sessionIdle_minutes: number
    /** Null: users sign in by passwords, passkeys and links. */
    readonly oidc: OidcSettings | null
    readonly webhooks: WebhookReach
    /** In development, sending domains under `.test` and `.localhost` always pass verification. */
    readonly developmentDomains: boolean
  }
>()("tentpole/Settings") {}

/** Defaults. Addresses and the sending mode have none. */
export const commonSettings = {
  mail: "smtp",
  html_bytes_max: 2 * 2 ** 20,
  message_bytes_max: 15 * 2 ** 20,
  import_bytes_max: 500 * 2 ** 20,
  asset_bytes_max: 25 * 2 ** 20,
  smtpConnections: 1,
  acceptMeansDelivered: true,
  hooks: { sesTopicArns: [], sendgridPublicKey: null, mailgunSigningKey: null, postmarkLogin: null },
  requestsPerMinute_max: 0,
  retention: {
    activity_days: null,
    audit_days: null,
    delivery_days: null,
    import_row_days: null,
    flow_event_days: null,
    event_days: 7,
    webhook_log_days: 30,
    message_days: 30,
  },
  sendJournal_days: 14,
  viewLink_days: 365,
  sessionIdle_minutes: 720,
  oidc: null,
  webhooks: { allowedNetworks: [], ownAddresses: [], connections: 256, timeout_s: 15 },
  developmentDomains: false,
} satisfies Partial<Settings["Service"]>
