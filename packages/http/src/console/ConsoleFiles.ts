// The files of the console: HTML with a nonce for each answer, assets from memory, and the two frames without an origin.
import { Effect, Ref } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { choose, type PageAnswers, pageAnswers, plainPage } from "../pages/PageAnswers.ts"
import { builtConsole, consoleFolder, olderBuilds } from "./ConsoleBuild.ts"

interface Addresses {
  /** URL of the console. The policies of the frames name it, because a frame without an origin has no `'self'`. */
  readonly publicConsoleUrl: string
  /** URL of the API, for the `curl` of each screen. */
  readonly publicApiUrl: string
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
}

const policyOf = (directives: ReadonlyArray<string>): string => directives.join("; ")

/** Nothing runs or loads from elsewhere; styles of the page need the nonce of its answer. */
const pagePolicy = (nonce: string): string =>
  policyOf([
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
  ])

/** A frame without cookies, storage and network, also when it is opened alone. */
const framePolicy = (sources: ReadonlyArray<string>): string =>
  policyOf([
    "sandbox allow-scripts",
    "default-src 'none'",
    ...sources,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ])

/** `pictures`: the person asked for pictures, which lie with brands and authors. */
const previewPolicy = (origin: string, pictures: boolean): string =>
  framePolicy([
    `script-src ${origin}/frame.js`,
    "style-src 'unsafe-inline'",
    `img-src data:${pictures ? " https:" : ""}`,
  ])

const writerPolicy = (origin: string): string =>
  framePolicy([
    `script-src ${origin}/assets/`,
    `style-src 'unsafe-inline' ${origin}/assets/`,
    "img-src data: blob:",
    "font-src data:",
  ])

const common = (origin: string): Readonly<Record<string, string>> => ({
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  ...(origin.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {}),
})

interface Origins {
  readonly origin: string
  readonly publicApiUrl: string
}

/** Files whose names contain the hash of their contents. */
const assets = "/assets/"

interface Files {
  readonly html: string
  readonly files: ReadonlyMap<string, PageAnswers>
}

const filesOf = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile() && !each.parentPath.includes(".vite") && !/\.(br|gz)$/.test(each.name))
    .map((each) => join(each.parentPath, each.name))

/** One file in its encodings: `x.br` and `x.gz` are encodings of `x`. */
const answersOf = async (path: string, name: string, origin: string): Promise<PageAnswers> => {
  const encoded = async (other: string) => (existsSync(other) ? readFile(other) : null)
  const plain = await readFile(path)
  const isAsset = name.startsWith(assets)
  const headers = {
    ...common(origin),
    "cache-control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    // Modules of a frame without an origin are fetched with CORS.
    ...(isAsset ? { "access-control-allow-origin": "*" } : {}),
  }
  const etag = createHash("sha256").update(plain).digest("base64url").slice(0, 22)
  const forms = { etag, plain, br: await encoded(`${path}.br`), gzip: await encoded(`${path}.gz`) }
  return pageAnswers(headers, types[extname(name)] ?? "application/octet-stream", forms)
}

/** The files of a build whose names begin so. */
const answersIn = async (folder: string, start: string, origin: string) => {
  const named = (await filesOf(folder)).map((path) => ({ path, name: path.slice(folder.length).replaceAll("\\", "/") }))
  const wanted = named.filter(({ name }) => name.startsWith(start))
  return Promise.all(wanted.map(async ({ name, path }) => [name, await answersOf(path, name, origin)] as const))
}

/** The build, in memory, and the assets of the builds before it, which open tabs still load. */
const load = async (built: string, { origin, publicApiUrl }: Origins): Promise<Files> => {
  // The process that has built the console deletes old builds meanwhile.
  const older = (await olderBuilds(built)).map((folder) => answersIn(folder, assets, origin).catch(() => []))
  const found = new Map([...(await Promise.all(older)).flat(), ...(await answersIn(built, "/", origin))])
  const html = await readFile(join(built, "index.html"), "utf8")
  return { html: html.replace("__API__", () => publicApiUrl), files: found }
}

type State =
  | { readonly _tag: "Building" }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Ready"; readonly files: Files }

const refresh_s = 1

const absent = (state: Exclude<State, { readonly _tag: "Ready" }>): HttpServerResponse.HttpServerResponse =>
  state._tag === "Building"
    ? plainPage(
        503,
        "Tentpole",
        "The console is being built. This takes a few seconds and happens once after each change.",
        {
          headers: { "retry-after": String(refresh_s) },
          head: `<meta http-equiv="refresh" content="${refresh_s}">`,
        },
      )
    : plainPage(503, "Tentpole", "The console cannot be shown: see the log of this process.")

const pageOf = ({ html }: Files, origin: string): HttpServerResponse.HttpServerResponse => {
  const nonce = randomBytes(16).toString("base64url")
  return HttpServerResponse.text(html.replaceAll("__NONCE__", nonce), {
    contentType: "text/html; charset=utf-8",
    headers: { ...common(origin), "cache-control": "no-store", "content-security-policy": pagePolicy(nonce) },
  })
}

const policies: Readonly<Record<string, (origin: string, url: URL) => string>> = {
  "/frame.html": (origin, { searchParams }) => previewPolicy(origin, searchParams.has("pictures")),
  "/writer.html": writerPolicy,
}

const fileOf = ({ files }: Files, origin: string, { headers, url: target }: HttpServerRequest.HttpServerRequest) => {
  const url = new URL(target, origin)
  const answers = files.get(url.pathname)
  if (answers === undefined) return HttpServerResponse.empty({ status: 404, headers: common(origin) })
  const wanted = { acceptEncoding: headers["accept-encoding"], ifNoneMatch: headers["if-none-match"] }
  const answer = choose(answers, wanted)
  const policy = policies[url.pathname]?.(origin, url)
  return policy === undefined ? answer : HttpServerResponse.setHeader(answer, "content-security-policy", policy)
}

/** Addresses of files, and of screens. */
const filePaths = ["/assets/*", "/icon.svg", "/frame.html", "/frame.js", "/writer.html"] as const
const screenPaths = ["/", "/w/*"] as const

type Answer = (files: Files, request: HttpServerRequest.HttpServerRequest) => HttpServerResponse.HttpServerResponse

/** Builds and loads in the background: the listener answers meanwhile. */
const loading = (state: Ref.Ref<State>, folder: string, origins: Origins) =>
  builtConsole(folder).pipe(
    Effect.flatMap((built) => Effect.promise(() => load(built, origins))),
    Effect.flatMap((files) => Ref.set(state, { _tag: "Ready", files })),
    Effect.catchTag("ConsoleMissing", ({ reason }) =>
      Effect.andThen(Effect.logWarning(reason), Ref.set(state, { _tag: "Missing" })),
    ),
    Effect.forkScoped,
  )

/** The routes of the console's files. The policy of each page is complete: nothing else may be added to it. */
export const consoleFiles = ({ publicApiUrl, publicConsoleUrl }: Addresses, folder = consoleFolder) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { origin } = new URL(publicConsoleUrl)
      const state = yield* Ref.make<State>({ _tag: "Building" })
      yield* loading(state, folder, { origin, publicApiUrl })
      const add = (path: HttpRouter.PathInput, answer: Answer) =>
        router.add(
          "GET",
          path,
          Effect.gen(function* () {
            const now = yield* Ref.get(state)
            return now._tag === "Ready" ? answer(now.files, yield* HttpServerRequest.HttpServerRequest) : absent(now)
          }),
        )
      for (const path of screenPaths) yield* add(path, (files) => pageOf(files, origin))
      for (const path of filePaths) yield* add(path, (files, request) => fileOf(files, origin, request))
    }),
  )
