// The console's files: policies, nonces, encodings, and the answers without a build.
import { Effect, Layer, Logger } from "effect"
import { HttpRouter } from "effect/http"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { brotliCompressSync } from "node:zlib"
import { afterEach, assert, describe, it } from "vitest"
import { builtConsole } from "../../src/console/ConsoleBuild.ts"
import { consoleFiles } from "../../src/console/ConsoleFiles.ts"

const folders: Array<string> = []
const disposals: Array<() => Promise<void>> = []

afterEach(async () => {
  await Promise.all(disposals.splice(0).map((dispose) => dispose()))
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })))
})

/** A folder of a console with these files. */
const folderOf = async (files: Readonly<Record<string, string | Uint8Array>>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "tentpole-console-"))
  folders.push(folder)
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

const script = "export const a = 1\n".repeat(100)

const built = {
  "dist/index.html": '<meta property="csp-nonce" nonce="__NONCE__"><meta content="__API__">',
  "dist/frame.html": "<script src=/frame.js></script>",
  "dist/frame.js": "addEventListener('message', () => {})",
  "dist/writer.html": "<script src=/assets/writer.js></script>",
  "dist/icon.svg": "<svg/>",
  "dist/assets/a.js": script,
  "dist/assets/a.js.br": brotliCompressSync(script),
  "dist/.vite/manifest.json": "{}",
}

/** In place of Vite: writes a page into the folder that it is given. */
const bundler = `
  import { mkdirSync, writeFileSync, appendFileSync } from "node:fs"
  const into = process.argv[process.argv.indexOf("--outDir") + 1]
  appendFileSync("runs.log", "x")
  if (process.env.FAILS === "yes") { console.error("syntax error in main.tsx"); process.exit(2) }
  await new Promise((resolve) => setTimeout(resolve, 300))
  mkdirSync(into, { recursive: true })
  writeFileSync(into + "/index.html", "built")`

const checkout = {
  "package.json": "{}",
  "vite.config.ts": "export default {}",
  "src/main.tsx": "1",
  "node_modules/vite/package.json": JSON.stringify({ name: "vite", type: "module" }),
  "node_modules/vite/bin/vite.js": bundler,
}

const addresses = { publicConsoleUrl: "https://console.example.org", publicApiUrl: "https://api.example.org" }

const serve = (folder: string, urls = addresses) => {
  const silent = Logger.layer([])
  const { dispose, handler } = HttpRouter.toWebHandler(Layer.provideMerge(consoleFiles(urls, folder), silent), {
    disableLogger: true,
  })
  disposals.push(dispose)
  return (path: string, headers: Record<string, string> = {}) =>
    handler(new Request(`${urls.publicConsoleUrl}${path}`, { headers }))
}

/** The answer once the build is loaded. */
const ready = async (ask: ReturnType<typeof serve>, path: string, headers?: Record<string, string>) => {
  for (;;) {
    const answer = await ask(path, headers)
    if (answer.headers.get("retry-after") === null) return answer
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe("consoleFiles", () => {
  it("answers each screen with another nonce, in the page and in its policy", async () => {
    const ask = serve(await folderOf(built))
    const nonces: Array<string> = []
    for (const path of ["/", "/w/acme/contacts", "/w/acme/contacts/1.2"]) {
      const answer = await ready(ask, path)
      const [, nonce = ""] = /nonce="([^"]+)"/.exec(await answer.text()) ?? []
      nonces.push(nonce)
      assert.strictEqual(
        answer.headers.get("content-security-policy"),
        "default-src 'none'; script-src 'self'; " +
          `style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; ` +
          "frame-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
      )
      assert.deepInclude(Object.fromEntries(answer.headers), {
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "strict-transport-security": "max-age=31536000",
      })
      assert.isAtLeast(nonce.length, 22)
    }
    assert.strictEqual(new Set(nonces).size, 3)
  })

  it("writes the URL of the API into the page", async () => {
    const answer = await ready(serve(await folderOf(built)), "/")
    assert.include(await answer.text(), 'content="https://api.example.org"')
  })

  it("sends assets compressed, immutable and readable by frames without an origin", async () => {
    const ask = serve(await folderOf(built))
    const answer = await ready(ask, "/assets/a.js", { "accept-encoding": "gzip, br" })
    assert.deepInclude(Object.fromEntries(answer.headers), {
      "content-encoding": "br",
      "cache-control": "public, max-age=31536000, immutable",
      "access-control-allow-origin": "*",
      "content-type": "text/javascript; charset=utf-8",
    })
    const plain = await ready(ask, "/assets/a.js")
    assert.strictEqual(await plain.text(), script)
  })

  it("answers 404 for files that the build has not, and for the manifest", async () => {
    const ask = serve(await folderOf(built))
    for (const path of ["/assets/b.js", "/assets/%2e%2e/index.html", "/assets/../.vite/manifest.json"]) {
      assert.strictEqual((await ready(ask, path)).status, 404, path)
    }
  })

  it("gives the frames policies without an origin, and pictures on request only", async () => {
    const ask = serve(await folderOf(built))
    const policy = async (path: string) => (await ready(ask, path)).headers.get("content-security-policy") ?? ""
    const frame = await policy("/frame.html")
    assert.match(
      frame,
      /^sandbox allow-scripts; default-src 'none'; script-src https:\/\/console\.example\.org\/frame\.js; /,
    )
    assert.notInclude(frame, "https:;")
    assert.include(await policy("/frame.html?pictures"), "img-src data: https:;")
    const writer = await policy("/writer.html")
    assert.match(
      writer,
      /^sandbox allow-scripts; default-src 'none'; script-src https:\/\/console\.example\.org\/assets\/; /,
    )
    for (const each of [frame, writer]) assert.notInclude(each, "connect-src")
  })

  it("answers 503 in one sentence without a build and without tools", async () => {
    const answer = await ready(serve(await folderOf({ "package.json": "{}" })), "/")
    assert.strictEqual(answer.status, 503)
    assert.include(await answer.text(), "The console cannot be shown")
  })

  it("answers a page without script that loads itself again while the console is built", async () => {
    const ask = serve(await folderOf(checkout))
    const answer = await ask("/")
    const page = await answer.text()
    assert.strictEqual(answer.status, 503)
    assert.include(page, '<meta http-equiv="refresh" content="1">')
    assert.notInclude(page, "<script")
    assert.strictEqual(await (await ready(ask, "/")).text(), "built")
  })
})

it("an older build that another process deletes keeps no build from being served", async () => {
  const older = "dist/0123456789abcdef/assets"
  // The encoding of a file that can't be read any more.
  const ask = serve(await folderOf({ ...checkout, [`${older}/a.js`]: script, [`${older}/a.js.br/gone`]: "" }))
  assert.strictEqual(await (await ready(ask, "/")).text(), "built")
})

describe("builtConsole", () => {
  it("builds once for callers at the same time, and not again for the same sources", async () => {
    const folder = await folderOf(checkout)
    const [first, second] = await Promise.all([1, 2].map(() => Effect.runPromise(builtConsole(folder))))
    assert.strictEqual(first, second)
    assert.strictEqual(await Effect.runPromise(builtConsole(folder)), first)
    assert.strictEqual(await readFile(join(folder, "runs.log"), "utf8"), "x")
  })

  it("builds again after a change of a source, and stores the two newest builds", async () => {
    const folder = await folderOf(checkout)
    const names: Array<string> = []
    for (const text of ["1", "2", "3"]) {
      await writeFile(join(folder, "src/main.tsx"), text)
      names.push(await Effect.runPromise(builtConsole(folder)))
    }
    assert.sameMembers(
      (await readdir(join(folder, "dist"))).map((name) => join(folder, "dist", name)),
      names.slice(1),
    )
  })

  it("reports the output of a failed build, and leaves nothing of it", async () => {
    const folder = await folderOf({
      ...checkout,
      "node_modules/vite/bin/vite.js": `process.env.FAILS = "yes"\n${bundler}`,
    })
    const { reason } = await Effect.runPromise(Effect.flip(builtConsole(folder)))
    assert.include(reason, "syntax error in main.tsx")
    assert.deepStrictEqual(await readdir(join(folder, "dist")), [])
  })

  it("takes over the lock of a process that ended", async () => {
    const folder = await folderOf(checkout)
    const into = await Effect.runPromise(builtConsole(folder))
    await rm(into, { recursive: true })
    await writeFile(`${into}.lock`, "999999999")
    assert.strictEqual(await Effect.runPromise(builtConsole(folder)), into)
  })
})
