// The answer at `/` of the API: a page for browsers, and JSON for programs.
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { hostedHtml } from "../pages/HostedHtml.ts"
import { logo } from "./Logo.ts"

const addresses = [
  { path: "/docs", name: "docs", title: "API reference", text: "every call, with examples" },
  { path: "/openapi.json", name: "openapi", title: "OpenAPI description", text: "for tools and generated clients" },
  { path: "/healthz", name: "health", title: "Health", text: "whether this process answers" },
  { path: "/readyz", name: "readiness", title: "Readiness", text: "whether the database can be used" },
] as const

const list = addresses.map(({ path, text, title }) => `<li><a href="${path}">${title}</a><br>${text}</li>`).join("\n")

const style =
  "<style>main>svg{width:2.6rem;height:2.6rem}h1{margin:.4rem 0}ul{list-style:none;padding:0}li{margin:1rem 0}</style>"

const page = hostedHtml(
  null,
  "Tentpole",
  `<p>Landing pages, contacts, email blasts and flows.</p>\n<ul>\n${list}\n</ul>`,
  style,
).replace("<main>", () => `<main>${logo}`)

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

/** `Accept` of browsers names `text/html`. */
export const startPage = HttpRouter.add(
  "GET",
  "/",
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    headers["accept"]?.includes("text/html") === true
      ? HttpServerResponse.text(page, {
          contentType: "text/html; charset=utf-8",
          headers: { "content-security-policy": policy, vary: "Accept" },
        })
      : HttpServerResponse.jsonUnsafe(
          { name: "Tentpole", ...Object.fromEntries(addresses.map(({ name, path }) => [name, path])) },
          { headers: { vary: "Accept" } },
        ),
  ),
)
