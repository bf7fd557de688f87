// The API reference at /docs: the viewer of the framework with the product's header. It is one document without parts from
// elsewhere, built and compressed on the first request, and browsers store it until it changes.
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiScalar } from "effect/http-api"
import { createHash } from "node:crypto"
import { choose, pageAnswers } from "../pages/PageAnswers.ts"
import { representationsOf } from "../pages/PageCache.ts"
import { logo } from "./Logo.ts"

const path = "/docs"
const header_height_px = 56

/** Settings of the viewer. Its types lack the ones that turn off what its vendor offers. */
const viewer = {
  withDefaultFonts: false,
  hideModels: true,
  defaultOpenAllTags: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  authentication: { preferredSecurityScheme: "bearer" },
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: "none",
  customCss: `
    :root { --scalar-custom-header-height: ${header_height_px}px; }
    a[href="https://www.scalar.com"] { display: none }
    .light-mode { --scalar-color-accent: #1d4ed8; }
    .dark-mode { --scalar-color-accent: #8ab4ff; }
    .scalar-app, .scalar-api-reference { --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; --scalar-font-code: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }`,
}

const head = `<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<style>
body { margin: 0 }
#api-reference-container { overflow-x: clip }
.product { position: sticky; top: 0; z-index: 1000; box-sizing: border-box; height: ${header_height_px}px; padding: 0 1.25rem; display: flex; align-items: center; gap: 1.25rem;
  font: 15px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; background: #fff; color: #1f2933; border-bottom: 1px solid #e4e7eb }
.product a { color: inherit; text-decoration: none }
.product a:hover, .product a:focus-visible { text-decoration: underline }
.product .name { display: flex; align-items: center; gap: .6rem; font-weight: 600; margin-right: auto }
.dark-mode .product { background: #0f0f0f; color: #e7e7e7; border-color: #2d2d2d }
</style>`

const header = `<header class="product"><a class="name" href="/">${logo}Tentpole</a><a href="/openapi.json">OpenAPI</a></header>`

/** The document, and the header that allows its scripts and nothing from elsewhere. */
const documentOf = async <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
) => {
  const { dispose, handler } = HttpRouter.toWebHandler(HttpApiScalar.layer(api, { path, scalar: viewer }), {
    disableLogger: true,
  })
  const page = await (await handler(new Request(`http://localhost${path}`))).text()
  await dispose()
  // Replacements are functions, because texts may contain `$`.
  const html = page
    .replace("<html>", () => '<html lang="en">')
    .replace("</head>", () => `${head}</head>`)
    .replace("<body>", () => `<body>${header}`)
  return { html, policy: policyOf(html) }
}

const policyOf = (html: string): string => {
  const scripts = html.split("<script>").slice(1)
  const hashes = scripts.map((rest) => hashOf(rest.slice(0, rest.indexOf("</script>"))))
  return [
    "default-src 'none'",
    `script-src ${hashes.join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
}

const hashOf = (script: string): string => `'sha256-${createHash("sha256").update(script).digest("base64")}'`

export const reference = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const answers = yield* Effect.cached(
        Effect.gen(function* () {
          const { html, policy } = yield* Effect.promise(() => documentOf(api))
          const headers = { "content-security-policy": policy, "referrer-policy": "no-referrer" }
          return pageAnswers(headers, "text/html; charset=utf-8", yield* representationsOf(html))
        }),
      )
      yield* router.add(
        "GET",
        path,
        Effect.gen(function* () {
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          const wanted = { acceptEncoding: headers["accept-encoding"], ifNoneMatch: headers["if-none-match"] }
          return choose(yield* answers, wanted)
        }),
      )
    }),
  )
