// `WebhookCaller` by undici. A connection goes only to an address that was judged, and the whole attempt has a limit of time.
import { isPermitted, type Network, parseAddress } from "@tentpole/core/webhooks/NetworkAddress"
import {
  answer_body_bytes_max,
  answer_head_bytes_max,
  connect_max_ms,
  snippet_length_max,
  type WebhookAnswer,
  type WebhookCall,
  WebhookCaller,
} from "@tentpole/core/webhooks/deliveries/WebhookCaller"
import { type AttemptError, readRetryAfter } from "@tentpole/core/webhooks/deliveries/Attempt"
import { DateTime, Effect, Layer } from "effect"
import type { LookupOptions } from "node:dns"
import type { IncomingHttpHeaders } from "node:http"
import { lookup as lookUp, Resolver } from "node:dns/promises"
import { isIP, type LookupFunction } from "node:net"
import { callbackify } from "node:util"
import { type Dispatcher, Pool } from "undici"

export interface WebhookCallerOptions {
  /** Networks of the operator that webhooks may go to, besides public ones. */
  readonly exceptions: ReadonlyArray<Network>
  /** Time of the whole attempt. */
  readonly timeout_ms: number
  /** Ports of the service's own listeners, which no webhook reaches at this machine's own addresses. */
  readonly ownPorts: ReadonlySet<number>
  /** All addresses of a name. Default: as this machine resolves names. */
  readonly resolve?: (host: string) => Promise<ReadonlyArray<string>>
  /** Default: the authorities that Node trusts. */
  readonly ca?: string
}

/** Connections of this many endpoints stay open. */
const pools_max = 1_000

/** An address of the host is not permitted. Its message does not have the address. */
class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED"
}

const resolveBySystem = async (host: string): Promise<ReadonlyArray<string>> =>
  (await lookUp(host, { all: true, order: "verbatim" })).map(({ address }) => address)

/** All addresses of a name, by these name servers (`host:port`). A name with addresses of one kind only has no error. */
export const resolveBy = (servers: ReadonlyArray<string>) => {
  const resolver = new Resolver({ timeout: connect_max_ms, tries: 1 })
  resolver.setServers([...servers])
  return async (host: string): Promise<ReadonlyArray<string>> => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
    const [failed] = answers.filter(({ status }) => status === "rejected")
    if (addresses.length === 0 && failed?.status === "rejected") throw failed.reason
    return addresses
  }
}

/** Whether a machine reaches its own listeners at the address. */
const isLoopback = (address: string): boolean =>
  address.startsWith("127.") || address === "::1" || /^(0\.|::$)/.test(address)

export const layer = (options: WebhookCallerOptions) =>
  Layer.effect(
    WebhookCaller,
    Effect.gen(function* () {
      const pools = new Pools(options)
      yield* Effect.addFinalizer(() => Effect.promise(() => pools.close()))
      return WebhookCaller.of({
        call: Effect.fnUntraced(function* (call) {
          const now = yield* DateTime.now
          const from_ms = performance.now()
          const answer = yield* Effect.callback<Answered | Failed>((resume) => {
            const attempt = new Attempt(options.timeout_ms, (answer) => resume(Effect.succeed(answer)))
            attempt.begin(pools, call)
            return Effect.sync(() => attempt.stop(null))
          })
          return {
            ...outcomeOf(answer, now),
            duration_ms: Math.round(performance.now() - from_ms),
            snippet: "error" in answer ? null : answer.snippet,
          } satisfies WebhookAnswer
        }),
      })
    }),
  )

/** A pool of connections for each endpoint and origin. */
class Pools {
  readonly #options: WebhookCallerOptions
  readonly #pools = new Map<string, Pool>()

  constructor(options: WebhookCallerOptions) {
    this.#options = options
  }

  of({ connections_max, endpoint }: WebhookCall, { hostname, origin, port, protocol }: URL): Pool {
    const key = `${endpoint} ${connections_max} ${origin}`
    const known = this.#pools.get(key)
    this.#pools.delete(key)
    const pool =
      known ?? this.#open(origin, hostname, Number(port) || (protocol === "https:" ? 443 : 80), connections_max)
    this.#pools.set(key, pool)
    for (const [oldest, idle] of this.#pools) {
      if (this.#pools.size <= pools_max) break
      this.#pools.delete(oldest)
      void idle.close()
    }
    return pool
  }

  #open(origin: string, hostname: string, port: number, connections: number): Pool {
    const { ca } = this.#options
    const host = hostname.replace(/^\[(.*)\]$/, "$1")
    // The library does not look up addresses.
    if (isIP(host) !== 0) this.#judge([host], port)
    return new Pool(origin, {
      allowH2: false,
      connections,
      pipelining: 1,
      maxHeaderSize: answer_head_bytes_max,
      connect: {
        timeout: connect_max_ms,
        autoSelectFamily: true,
        lookup: this.#lookup(port),
        ...(ca === undefined ? {} : { ca }),
      },
    })
  }

  #judge(addresses: ReadonlyArray<string>, port: number): void {
    const { exceptions, ownPorts } = this.#options
    for (const text of addresses) {
      const address = parseAddress(text)
      if (address === null || !isPermitted(address, exceptions) || (ownPorts.has(port) && isLoopback(text))) {
        throw new AddressRefused("an address of the host is not permitted")
      }
    }
  }

  /** The connection goes to the addresses that are judged here: nothing looks the name up again. */
  #lookup(port: number): LookupFunction {
    const resolve = this.#options.resolve ?? resolveBySystem
    // `autoSelectFamily` asks for all addresses.
    return callbackify(async (host: string, _options: LookupOptions) => {
      const addresses = await resolve(host)
      if (addresses.length === 0) throw Object.assign(new Error("the name has no address"), { code: "ENOTFOUND" })
      this.#judge(addresses, port)
      return addresses.map((address) => ({ address, family: isIP(address) }))
    }) as LookupFunction
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.destroy()))
  }
}

interface Answered {
  readonly statusCode: number
  readonly retryAfter: string | null
  readonly snippet: string
}

/** How the attempt failed before there was an answer, or in the middle of it. */
interface Failed {
  readonly error: AttemptError
}

/** The library calls it while a request is sent. It reports one end, and reads nothing after that. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #report: (answer: Answered | Failed) => void
  readonly #timeout: NodeJS.Timeout
  readonly #pieces: Array<Buffer> = []
  #controller: Dispatcher.DispatchController | null = null
  #head: Omit<Answered, "snippet"> | null = null
  #length = 0
  #hasEnded = false

  constructor(timeout_ms: number, report: (answer: Answered | Failed) => void) {
    this.#report = report
    this.#timeout = setTimeout(() => this.stop({ error: "timeout" }), timeout_ms)
  }

  begin(pools: Pools, call: WebhookCall): void {
    try {
      const { body, headers, url } = call
      const target = new URL(url)
      pools
        .of(call, target)
        .dispatch({ method: "POST", path: `${target.pathname}${target.search}`, headers, body }, this)
    } catch (error) {
      this.#end({ error: errorOf(error) })
    }
  }

  /** Closes the connection. Null: nothing is reported. */
  stop(answer: Answered | Failed | null): void {
    if (this.#hasEnded) return
    this.#end(answer)
    this.#controller?.abort(stopped)
  }

  #end(answer: Answered | Failed | null): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#timeout)
    if (answer !== null) this.#report(answer)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // There was no connection in time.
    if (this.#hasEnded) controller.abort(stopped)
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) return
    const retryAfter = headers["retry-after"]
    this.#head = { statusCode, retryAfter: typeof retryAfter === "string" ? retryAfter : null }
  }

  /** Of a long body the rest is not read. The status counts. */
  onResponseData(_: Dispatcher.DispatchController, piece: Buffer): void {
    this.#pieces.push(piece)
    this.#length += piece.length
    if (this.#length > answer_body_bytes_max) this.stop(this.#answer)
  }

  onResponseEnd(): void {
    this.#end(this.#answer)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end({ error: errorOf(error) })
  }

  get #answer(): Answered | Failed {
    return this.#head === null ? { error: "connection_reset" } : { ...this.#head, snippet: snippetOf(this.#pieces) }
  }
}

const stopped = new Error("the attempt has ended")

const snippetOf = (pieces: ReadonlyArray<Buffer>): string => {
  if (pieces.length === 0) return ""
  const text = Buffer.concat(pieces)
    .subarray(0, 4 * snippet_length_max)
    .toString("utf8")
  return text
    .replaceAll(/\p{Cc}/gu, "")
    .slice(0, snippet_length_max)
    .toWellFormed()
}

const outcomeOf = (answer: Answered | Failed, now: DateTime.Utc) => {
  if ("error" in answer) return { statusCode: null, error: answer.error, retryAfter_s: null }
  const { retryAfter, statusCode } = answer
  return { statusCode, error: errorOfStatus(statusCode), retryAfter_s: readRetryAfter(retryAfter, now) }
}

const errorOfStatus = (statusCode: number): AttemptError | null => {
  if (statusCode >= 200 && statusCode < 300) return null
  return statusCode >= 300 && statusCode < 400 ? "redirect" : "http_status"
}

const errorsByCode: ReadonlyMap<string, AttemptError> = new Map([
  ["ADDRESS_REFUSED", "address_refused"],
  ["ENOTFOUND", "dns_failed"],
  ["EAI_AGAIN", "dns_failed"],
  ["EAI_FAIL", "dns_failed"],
  ["EAI_NODATA", "dns_failed"],
  ["ENODATA", "dns_failed"],
  ["ESERVFAIL", "dns_failed"],
  ["ETIMEOUT", "dns_failed"],
  ["EREFUSED", "dns_failed"],
  ["ECONNREFUSED", "connect_failed"],
  ["EHOSTUNREACH", "connect_failed"],
  ["ENETUNREACH", "connect_failed"],
  ["EADDRNOTAVAIL", "connect_failed"],
  ["ETIMEDOUT", "connect_failed"],
  ["UND_ERR_CONNECT_TIMEOUT", "connect_failed"],
  ["UND_ERR_HEADERS_OVERFLOW", "response_too_large"],
  ["HPE_HEADER_OVERFLOW", "response_too_large"],
])

/** TLS has a code for each fault of a certificate. */
const tlsCode =
  /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/

const errorOf = (error: unknown): AttemptError => {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return errorsByCode.get(code) ?? (tlsCode.test(code) ? "tls_failed" : "connection_reset")
}
