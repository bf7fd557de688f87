// Tests of the doctor's checks against real servers: an S3 store and AI providers.
import { type Configuration, configuration } from "@tentpole/adapters/Configuration"
import { ai, files } from "@tentpole/http/doctor/Examinations"
import { Effect, Result } from "effect"
import { createServer, type IncomingMessage, type Server } from "node:http"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import S3rver from "s3rver"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"

const configured = (environment: Record<string, string>): Configuration =>
  Result.getOrThrow(configuration({ NODE_ENV: "production", APP_SECRET: "x".repeat(32), ...environment }))

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

describe("the doctor's check of an S3 store", () => {
  let store: S3rver
  let folder = ""
  let endpoint = ""

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tentpole-doctor-"))
    const configureBuckets = [{ name: "tentpole" }]
    store = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory: folder, configureBuckets })
    endpoint = `http://127.0.0.1:${(await store.run()).port}`
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })

  const found = async (bucket: string, { key = "S3RVER", secret = "S3RVER", at = endpoint } = {}) => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", key)
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", secret)
    return Effect.runPromise(files(configured({ S3_BUCKET: bucket, S3_ENDPOINT: at })))
  }

  it("stores and reads a file, and removes it", async () => {
    assert.deepInclude(await found("tentpole"), {
      state: "ok",
      says: "the bucket tentpole stores and returns files",
    })
  })

  it("reports a missing bucket", async () => {
    const finding = await found("another")
    assert.deepInclude(finding, { state: "wrong", says: "the bucket another does not exist" })
    assert.match(`${finding?.mend}`, /S3_BUCKET to another one; check S3_ENDPOINT and S3_REGION/)
  })

  it("distinguishes a wrong secret from a wrong access key, and prints neither", async () => {
    // s3rver accepts any secret of a known key: this server refuses it in the words of S3.
    const refusing = createServer((request, response) => {
      response.writeHead(403, { "content-type": "application/xml" })
      response.end(
        `<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code><Message>The request signature we calculated does not match the signature you provided. ${request.headers.authorization}</Message></Error>`,
      )
    })
    await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve))
    const at = `http://127.0.0.1:${portOf(refusing)}`
    const secret = await found("tentpole", { secret: "not-the-secret", key: "not-the-key", at })
    refusing.close().closeAllConnections()
    assert.deepInclude(secret, {
      state: "wrong",
      says: "the bucket tentpole refuses the signature: the secret is not that of the access key",
      mend: "Set AWS_SECRET_ACCESS_KEY to the secret of AWS_ACCESS_KEY_ID.",
    })
    const key = await found("tentpole", { key: "not-the-key" })
    assert.deepInclude(key, { state: "wrong", says: "the bucket tentpole does not know the access key" })
    for (const finding of [secret, key]) assert.notInclude(JSON.stringify(finding), "not-the-")
  })

  it("reports an unreachable server", async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve))
    const port = portOf(closed)
    await new Promise<void>((resolve) => void closed.close(() => resolve()))
    const finding = await found("tentpole", { at: `http://127.0.0.1:${port}` })
    assert.strictEqual(finding?.says, "the bucket tentpole can't be used (ECONNREFUSED)")
  })
})

describe("the doctor's check of an AI provider", () => {
  const asked: Array<IncomingMessage> = []
  const server = createServer((request, response) => {
    asked.push(request)
    const { authorization, "x-api-key": key } = request.headers
    response.statusCode = authorization === "Bearer good" || key === "good" ? 200 : 401
    response.end(`{"data":[]}`)
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())))

  const found = async (provider: string, key: string, base = `http://127.0.0.1:${portOf(server)}/v1/`) => {
    const environment = { AI_PROVIDER: provider, AI_API_KEY: key, AI_BASE_URL: base }
    return Effect.runPromise(ai(configured(environment)))
  }

  for (const provider of ["openai", "anthropic"]) {
    it(`checks the key of ${provider} with a free request`, async () => {
      assert.deepInclude(await found(provider, "good"), { state: "ok", says: `${provider} answers` })
      assert.deepInclude(await found(provider, "bad"), { state: "wrong", says: `${provider} refuses the key` })
      assert.deepStrictEqual(
        asked.splice(0).map(({ method, url }) => `${method} ${url}`),
        ["GET /v1/models", "GET /v1/models"],
      )
    })
  }

  it("reports an unreachable provider", async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve))
    const port = portOf(closed)
    await new Promise<void>((resolve) => void closed.close(() => resolve()))
    const finding = await found("openai", "good", `http://127.0.0.1:${port}/v1`)
    assert.strictEqual(finding?.state, "wrong")
    assert.match(`${finding?.says} ${finding?.mend}`, /openai can't be reached .*AI_BASE_URL/)
  })
})
