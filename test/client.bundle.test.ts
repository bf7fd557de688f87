// Tests of both clients in a bundle for runtimes without Node, such as browsers: the bundle's contents and size, and a run with
// browser globals only.
import { build } from "esbuild"
import { gzipSync } from "node:zlib"
import { assert, beforeAll, describe, it } from "vitest"
import { createContext, runInContext } from "node:vm"
import { root } from "./support/Service.ts"

const bundle = async (contents: string) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: `${root}test` },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: "browser",
    format: "iife",
    conditions: ["tentpole:source"],
    logLevel: "silent",
  })
  const inputs = Object.values(metafile.outputs)
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path)
  return { inputs, text: outputFiles[0]?.text ?? "" }
}

describe("@tentpole/http/client in a bundle", () => {
  let inputs: ReadonlyArray<string> = []
  let text = ""

  beforeAll(async () => {
    const bundled = await bundle(`import { make } from "@tentpole/http/client"; globalThis.make = make`)
    ;({ inputs, text } = bundled)
  })

  it("contains no code of Node, a database, adapters or the service", () => {
    assert.isAbove(inputs.length, 100)
    const strays = inputs.filter(
      (path) =>
        /^packages\/(adapters|worker)\//.test(path) ||
        /Handlers\.ts$|packages\/http\/src\/(Server|Edge|Authentication|Repetition|cli\/|pages\/|hooks\/)/.test(path) ||
        /node_modules\/(pg|pg-[a-z]+|@effect|undici|ws|@aws-sdk|nodemailer|mailauth)\//.test(path) ||
        path.startsWith("node:"),
    )
    assert.deepStrictEqual(strays, [])
  })

  it("has at most 1.85 MB", () => {
    assert.isBelow(text.length, 1_850_000)
  })
})

const program = `
  import { ApiError, connect } from "@tentpole/client"
  globalThis.program = async (fetch) => {
    const tentpole = connect({ url: "https://service.test", apiKey: "k", fetch })
    const found = []
    for await (const { contact_id } of tentpole.contacts.list.each({ query: { limit: 1 } })) found.push(contact_id)
    const refused = await tentpole.lists.create.result({ payload: { name: "Taken", kind: "static" } })
    return { found, code: !refused.ok && refused.error instanceof ApiError ? refused.error.code : "none" }
  }
`

describe("@tentpole/client in a bundle", () => {
  it("contains the package only, and with everything of it at most 15 KB compressed", async () => {
    const { inputs, text } = await bundle(`import * as all from "@tentpole/client"; globalThis.all = all`)
    assert.isNotEmpty(inputs)
    const strays = inputs.filter((path) => !path.startsWith("packages/client/src/") && path !== "<stdin>")
    assert.deepStrictEqual(strays, [])
    assert.isAtMost(gzipSync(text).length, 15_000)
  })

  it("runs without process and require", async () => {
    const requests: Array<string> = []
    const json = (status: number, body: unknown) =>
      new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } })
    const contact = (contact_id: string) => ({ ...blank, contact_id })
    const fetch = async (input: string | URL, init?: RequestInit) => {
      const { method, url } = new Request(input, init)
      const { pathname, search, searchParams } = new URL(url)
      requests.push(`${method} ${pathname}${search}`)
      if (method === "POST") {
        const code = "contact_list_name_exists"
        return json(409, { error: "Conflict", error_code: code, code, message: "taken", details: {} })
      }
      const page = Number(searchParams.get("page") ?? 1)
      return json(200, {
        items: [contact(ids[page - 1] ?? "")],
        pagination: { page, limit: 1, total: 2, totalPages: 2 },
      })
    }
    const { text } = await bundle(program)
    const place = createContext(Object.fromEntries(globals.map((name) => [name, Reflect.get(globalThis, name)])))
    runInContext(text, place)
    place["fetch"] = fetch
    const said = await runInContext("program(fetch)", place)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(said)), { found: ids, code: "contact_list_name_exists" })
    assert.deepStrictEqual(requests, [
      "GET /v1/contacts?limit=1",
      "GET /v1/contacts?limit=1&page=2",
      "POST /v1/contact-lists",
    ])
  })
})

/** What a browser has besides JavaScript. The realm has the test's own classes, since `fetch` returns them. */
const globals = [
  ..."ArrayBuffer Uint8Array AbortController AbortSignal FormData Headers ReadableStream Response".split(" "),
  ..."URL URLSearchParams Blob crypto setTimeout clearTimeout".split(" "),
]

const ids = ["7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11", "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e12"]

/** A contact without optional values. */
const blank = {
  ...Object.fromEntries(
    [
      "display_name first_name last_name company job_title city state country email phone address address2 zip_code",
      "lead_status lifecycle_stage service_score marketing_email_subscribed marketing_sms_subscribed original_source",
      "original_source_detail last_activity_at",
    ]
      .join(" ")
      .split(" ")
      .map((name) => [name, null]),
  ),
  unsubscribed: false,
  marketing_email_invalid: false,
  created_at: "2026-05-01T00:00:00.000Z",
  updated_at: "2026-05-01T00:00:00.000Z",
}
