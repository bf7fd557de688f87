// Build and development server of the console.
import react from "@vitejs/plugin-react"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { defaultClientConditions, defineConfig, type Plugin } from "vite"

const service = process.env["CONSOLE_URL"] ?? "http://127.0.0.1:8083"
const port = 5173

/** The policy of the built console, and what the development server needs: its own socket and inline scripts by a fixed nonce. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'nonce-development'",
  "style-src 'self' 'nonce-development'",
  "img-src 'self' data:",
  "font-src 'self'",
  `connect-src 'self' ws://localhost:${port} ws://127.0.0.1:${port}`,
  "frame-src 'self'",
  "base-uri 'none'",
].join("; ")

/** The frames have policies of their own, as they have in `ConsoleFiles.ts`. */
const framePolicies: Plugin = {
  name: "frame-policies",
  configureServer: ({ middlewares }) => {
    middlewares.use((request, response, next) => {
      const path = (request.url ?? "").split("?")[0]
      if (path === "/frame.html" || path === "/writer.html") {
        const styles = "style-src 'self' 'unsafe-inline'; img-src data: blob: https:"
        response.setHeader(
          "content-security-policy",
          `sandbox allow-scripts; script-src http: 'unsafe-inline'; ${styles}`,
        )
        const setHeader = response.setHeader.bind(response)
        response.setHeader = (name, value) =>
          name.toLowerCase() === "content-security-policy" ? response : setHeader(name, value)
      }
      next()
    })
  },
}

const pages = ["index.html", "writer.html"].map((name) => join(import.meta.dirname, name)).filter(existsSync)

// oxlint-disable-next-line import/no-default-export -- Vite requires it
export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  plugins: [react(), framePolicies],
  html: { cspNonce: command === "serve" ? "development" : "__NONCE__" },
  resolve: { conditions: ["tentpole:source", ...defaultClientConditions] },
  build: {
    rolldownOptions: { input: pages },
    emptyOutDir: true,
    target: "es2023",
    // Inlined files would need `data:` in the policy.
    assetsInlineLimit: 0,
    manifest: true,
    chunkSizeWarningLimit: 900,
    reportCompressedSize: false,
  },
  server: {
    host: "127.0.0.1",
    port,
    strictPort: true,
    headers: { "content-security-policy": policy },
    proxy: Object.fromEntries(
      ["/v1", "/admin", "/auth"].map((path) => [path, { target: service, changeOrigin: true }]),
    ),
  },
}))
