// SMTP_URL: `smtp://user:password@host:587?requireTLS=true`, or `smtps://` for TLS from the first byte.
import { Redacted, Result, Schema } from "effect"
import { isIP } from "node:net"

/** The mail server's address is invalid: a sentence that says what to change. */
export class SmtpUrlInvalid extends Schema.TaggedError<SmtpUrlInvalid>()("SmtpUrlInvalid", { reason: Schema.String }) {
  override get message(): string {
    return `SMTP_URL can't be used: ${this.reason}. Write it as smtp://user:password@mail.example.com:587`
  }
}

export interface SmtpOptions {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; else STARTTLS where the server offers it. */
  readonly secure: boolean
  /** Never without TLS: a server that does not offer it is not used. */
  readonly requireTls: boolean
  readonly ignoreTls: boolean
  /** Whether the server's certificate is verified. It is not for this machine, where the network has no third party. */
  readonly verifyCertificate: boolean
  readonly login: { readonly user: string; readonly password: Redacted.Redacted } | null
  /** The name sent in EHLO; null: the machine's name. */
  readonly name: string | null
  /** From the first packet to the end of the login. */
  readonly open_timeout_ms: number
  /** MAIL, RCPT and DATA together (RFC 5321 §4.5.3.2: up to 5 minutes each). */
  readonly begin_timeout_ms: number
  /** From the body's first byte to the reply after the last one (RFC 5321 §4.5.3.2.6: at least 10 minutes). */
  readonly reply_timeout_ms: number
}

const known = ["requireTLS", "ignoreTLS", "verify", "name", "openTimeout", "commandTimeout", "replyTimeout"] as const
type Parameter = (typeof known)[number]

const isKnown = (name: string): name is Parameter => known.some((each) => each === name)

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.")

const refuse = (reason: string): Result.Result<never, SmtpUrlInvalid> => Result.fail(new SmtpUrlInvalid({ reason }))

/** Booleans are `true` and `false`, times whole seconds. */
export const parseSmtpUrl = (text: string): Result.Result<SmtpOptions, SmtpUrlInvalid> => {
  if (!URL.canParse(text)) return refuse("it is no URL")
  const url = new URL(text)
  if (url.protocol !== "smtp:" && url.protocol !== "smtps:") {
    return refuse(`it begins with ${url.protocol}// instead of smtp:// or smtps://`)
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  if (host === "") return refuse("it names no host")
  if (isIP(host) === 0 && !/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i.test(host)) return refuse(`${host} is no host name`)
  if ((url.pathname !== "" && url.pathname !== "/") || url.hash !== "") {
    return refuse("it has a path or fragment after the host")
  }
  const secure = url.protocol === "smtps:"
  return Result.flatMap(parameters(url), (given) =>
    Result.flatMap(loginOf(url), (login) => {
      const requireTls = given.requireTLS ?? (login !== null && !isLoopback(host))
      if (given.ignoreTLS === true && (secure || given.requireTLS === true)) {
        return refuse("ignoreTLS contradicts the TLS that it asks for")
      }
      return Result.succeed({
        host,
        port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
        secure,
        requireTls: !secure && requireTls && given.ignoreTLS !== true,
        ignoreTls: given.ignoreTLS ?? false,
        verifyCertificate: given.verify ?? !isLoopback(host),
        login,
        name: given.name ?? null,
        open_timeout_ms: (given.openTimeout ?? 60) * 1000,
        begin_timeout_ms: (given.commandTimeout ?? 300) * 1000,
        reply_timeout_ms: (given.replyTimeout ?? 660) * 1000,
      })
    }),
  )
}

const loginOf = (url: URL): Result.Result<SmtpOptions["login"], SmtpUrlInvalid> => {
  if (url.username === "" && url.password === "") return Result.succeed(null)
  if (url.username === "" || url.password === "") return refuse("it needs both a user and a password, or neither")
  try {
    return Result.succeed({
      user: decodeURIComponent(url.username),
      password: Redacted.make(decodeURIComponent(url.password)),
    })
  } catch {
    return refuse("user and password must be percent-encoded (% itself as %25)")
  }
}

interface Given {
  requireTLS?: boolean
  ignoreTLS?: boolean
  verify?: boolean
  name?: string
  openTimeout?: number
  commandTimeout?: number
  replyTimeout?: number
}

const parameters = (url: URL): Result.Result<Given, SmtpUrlInvalid> => {
  const given: Given = {}
  for (const [name, value] of url.searchParams) {
    if (!isKnown(name)) return refuse(`it has the parameter ${name}; known are ${known.join(", ")}`)
    switch (name) {
      case "requireTLS":
      case "ignoreTLS":
      case "verify":
        if (value !== "true" && value !== "false") return refuse(`${name} must be true or false`)
        given[name] = value === "true"
        break
      case "name":
        if (!/^[a-z0-9.:[\]-]{1,255}$/i.test(value)) return refuse("name must be a host name")
        given.name = value
        break
      default:
        if (!/^[1-9]\d{0,4}$/.test(value)) return refuse(`${name} must be whole seconds, from 1 to 99999`)
        given[name] = Number(value)
    }
  }
  return Result.succeed(given)
}
