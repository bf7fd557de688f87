// An identity provider on this machine: OpenID Connect with PKCE. It signs in its person without a question.
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

type Claims = Readonly<Record<string, unknown>>

interface Grant {
  readonly challenge: string
  readonly nonce: string
  readonly redirectUri: string
  /** The request wants to know when the person was asked: this one is asked now. */
  readonly isAsked: boolean
}

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

// Servers share their keys, which take a while to make.
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 })
const strange = generateKeyPairSync("rsa", { modulusLength: 2048 })

export class OidcServer {
  readonly clientId = "tentpole"
  readonly clientSecret = "a secret of the client"
  /** Claims of the person, besides those of every token. */
  person: Claims = {}
  /** Claims that a faulty provider changes. */
  changed: Claims = {}
  /** The token has the subject only; the other claims are in the document of the user. */
  hasUserInfo = false
  isDown = false
  /** Signs with a key that the provider does not publish. */
  isForged = false
  /** The queries of sign-ins. */
  readonly asked: Array<URLSearchParams> = []
  readonly #grants = new Map<string, Grant>()
  readonly #accessToken = randomBytes(16).toString("base64url")
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#serve(request, response)
    })
  }

  static async start(): Promise<OidcServer> {
    const started = new OidcServer()
    await new Promise<void>((resolve) => started.#server.listen(0, "127.0.0.1", resolve))
    return started
  }

  get issuer(): string {
    const address = this.#server.address()
    return `http://localhost:${typeof address === "object" && address !== null ? address.port : 0}`
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.issuer)
    // Only the service finds it down: a browser still gets its code.
    if (this.isDown && url.pathname !== "/authorize") return answer(response, 503, { error: "temporarily_unavailable" })
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return answer(response, 200, this.#document)
      case "/keys":
        return answer(response, 200, {
          keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }],
        })
      case "/authorize":
        return this.#authorize(url.searchParams, response)
      case "/userinfo":
        return request.headers.authorization === `Bearer ${this.#accessToken}`
          ? answer(response, 200, this.person)
          : answer(response, 401, {})
      case "/token":
        return this.#exchange(request, await bodyOf(request), response)
      default:
        return answer(response, 404, {})
    }
  }

  get #document() {
    const { issuer } = this
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      ...(this.hasUserInfo ? { userinfo_endpoint: `${issuer}/userinfo` } : {}),
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
    }
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    this.asked.push(query)
    const code = randomBytes(16).toString("base64url")
    const redirectUri = query.get("redirect_uri") ?? ""
    this.#grants.set(code, {
      challenge: query.get("code_challenge") ?? "",
      nonce: query.get("nonce") ?? "",
      redirectUri,
      isAsked: query.has("max_age"),
    })
    const back = new URLSearchParams({ code, state: query.get("state") ?? "" })
    response.writeHead(302, { location: `${redirectUri}?${back.toString()}` }).end()
  }

  #exchange({ headers }: IncomingMessage, body: URLSearchParams, response: ServerResponse): void {
    const code = body.get("code") ?? ""
    const grant = this.#grants.get(code)
    this.#grants.delete(code)
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url")
    const login = `${this.clientId}:${encodeURIComponent(this.clientSecret).replaceAll("%20", "+")}`
    if (headers.authorization !== `Basic ${Buffer.from(login).toString("base64")}`) {
      return answer(response, 401, { error: "invalid_client" })
    }
    if (grant?.challenge !== challenge || grant.redirectUri !== body.get("redirect_uri")) {
      return answer(response, 400, { error: "invalid_grant" })
    }
    return answer(response, 200, {
      access_token: this.#accessToken,
      token_type: "Bearer",
      id_token: this.#token(grant),
    })
  }

  #token({ isAsked, nonce }: Grant): string {
    const now_s = Math.floor(Date.now() / 1000)
    const claims = {
      iss: this.issuer,
      aud: this.clientId,
      iat: now_s,
      exp: now_s + 300,
      nonce,
      ...(isAsked ? { auth_time: now_s } : {}),
      ...(this.hasUserInfo ? { sub: this.person["sub"] } : this.person),
      ...this.changed,
    }
    const text = `${base64url({ alg: "RS256", kid: "one" })}.${base64url(claims)}`
    const { privateKey } = this.isForged ? strange : keys
    return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`
  }
}
