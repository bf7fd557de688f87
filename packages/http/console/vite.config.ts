// Build and development server of the console.
import react from "@vitejs/plugin-react"
import { existsSync } from "node:fs"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
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

/** Small files gain nothing. */
const compressed_bytes_min = 1_024

/** Writes `x.br` and `x.gz` beside each asset, so that the service compresses nothing. A packaged build takes more time. */
const compressed = (isPackaged: boolean): Plugin => ({
  name: "compressed",
  apply: "build",
  writeBundle: async ({ dir = "" }) => {
    const names = (await readdir(join(dir, "assets"))).filter((name) => /\.(js|css)$/.test(name))
    // The highest quality takes five times as long as 9, and saves 8 %.
    const quality = isPackaged ? 9 : 5
    for (const name of names) {
      const path = join(dir, "assets", name)
      const content = await readFile(path)
      if (content.length < compressed_bytes_min) continue
      const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
      await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }))
      await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
    }
  },
})

const pages = ["index.html", "writer.html"].map((name) => join(import.meta.dirname, name)).filter(existsSync)

// oxlint-disable-next-line import/no-default-export -- Vite requires it
export default defineConfig(({ command, mode }) => ({
  root: import.meta.dirname,
  plugins: [react(), framePolicies, compressed(mode === "packaged")],
  html: { cspNonce: command === "serve" ? "development" : "__NONCE__" },
  resolve: { conditions: ["tentpole:source", ...defaultClientConditions] },
  build: {
    rolldownOptions: { input: pages },
    emptyOutDir: true,
    target: "es2023",
    // These know `light-dark()`, which must not be rewritten: Mantine sets `color-scheme`.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
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
      ["/v1", "/admin", "/auth", "/uploads"].map((path) => [path, { target: service, changeOrigin: true }]),
    ),
  },
}))
