// The opening of an SMTP connection: greeting, EHLO, STARTTLS and AUTH.
import { Redacted } from "effect"
import { createHmac } from "node:crypto"
import { isIP } from "node:net"
import { hostname } from "node:os"
import type { ConnectionOptions } from "node:tls"
import type { Reply, SmtpSocket } from "./SmtpSocket.ts"
import type { SmtpOptions } from "./SmtpUrl.ts"

/** A reply that ends the opening of a connection. */
export class HandshakeRefused extends Error {
  override readonly name = "HandshakeRefused"
  readonly step: "greeting" | "hello" | "tls" | "login"
  readonly code: number | null

  constructor(step: HandshakeRefused["step"], { code, text }: Reply) {
    super(`${sentences[step]}: ${text}`)
    this.step = step
    this.code = code
  }
}

const sentences = {
  greeting: "The mail server does not take this connection",
  hello: "The mail server refused EHLO",
  tls: "The mail server offers no TLS",
  login: "The mail server refused the login",
} as const

export const tlsOptions = ({ host, verifyCertificate }: SmtpOptions): ConnectionOptions => ({
  host,
  ...(isIP(host) === 0 ? { servername: host } : {}),
  rejectUnauthorized: verifyCertificate,
  minVersion: "TLSv1.2",
})

/** The reply to EHLO of a server that accepts messages now. A server that offers no login is used without one. */
export const handshake = async (socket: SmtpSocket, options: SmtpOptions): Promise<string> => {
  const greeting = await socket.request("")
  if (greeting.code !== 220) throw new HandshakeRefused("greeting", greeting)
  const first = await hello(socket, options)
  const extensions = (await startTls(socket, options, first)) ? await hello(socket, options) : first
  const methods = /^250[ -]AUTH[ =](.*)$/im.exec(extensions)?.[1]?.toUpperCase().split(/\s+/)
  if (options.login !== null && methods !== undefined) await login(socket, options.login, methods)
  return extensions
}

const hello = async (socket: SmtpSocket, options: SmtpOptions): Promise<string> => {
  const name = options.name ?? ownName()
  const extended = await socket.request(`EHLO ${name}`)
  if (isPositive(extended)) return extended.text
  if (options.requireTls) throw new HandshakeRefused("hello", extended)
  const plain = await socket.request(`HELO ${name}`)
  if (!isPositive(plain)) throw new HandshakeRefused("hello", plain)
  return ""
}

/** A host name with a dot, or an address literal: servers refuse other names (RFC 5321 §4.1.3). */
const ownName = (): string => {
  const name = hostname()
  if (isIP(name) === 4) return `[${name}]`
  return name.includes(".") && /^[a-z0-9.-]+$/i.test(name) ? name : "[127.0.0.1]"
}

const startTls = async (socket: SmtpSocket, options: SmtpOptions, extensions: string): Promise<boolean> => {
  const isOffered = /^250[ -]STARTTLS\b/im.test(extensions)
  if (options.secure || options.ignoreTls || (!isOffered && !options.requireTls)) return false
  const reply = await socket.request("STARTTLS")
  if (reply.code !== 220) throw new HandshakeRefused("tls", reply)
  await socket.secure(tlsOptions(options))
  return true
}

type Login = NonNullable<SmtpOptions["login"]>

const login = async (socket: SmtpSocket, { user, password }: Login, methods: ReadonlyArray<string>): Promise<void> => {
  const secret = Redacted.value(password)
  const has = (method: string) => methods.includes(method)
  const steps =
    has("LOGIN") && !has("PLAIN")
      ? ["AUTH LOGIN", () => base64(user), () => base64(secret)]
      : has("CRAM-MD5") && !has("PLAIN")
        ? ["AUTH CRAM-MD5", (challenge: string) => base64(`${user} ${digest(secret, challenge)}`)]
        : [`AUTH PLAIN ${base64(`\0${user}\0${secret}`)}`]
  let reply: Reply = { code: 334, text: "334 " }
  for (const step of steps) {
    if (reply.code !== 334) break
    reply = await socket.request(typeof step === "string" ? step : step(reply.text.slice(4)))
  }
  if (reply.code !== 235) throw new HandshakeRefused("login", reply)
}

const base64 = (text: string): string => Buffer.from(text).toString("base64")

const digest = (secret: string, challenge: string): string =>
  createHmac("md5", secret).update(Buffer.from(challenge, "base64")).digest("hex")

export const isPositive = ({ code }: Reply): boolean => code !== null && code >= 200 && code < 300
