// A browser for tests: the installed one, or the one of an npm package. If there is neither, `none` says so.
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

const usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** Unpacks it, if that was not done. CHROMIUM_PATH first, then the package's browser (Linux on x64 only), then the usual paths of the machine. */
export const executable = async (): Promise<string | null> => {
  const named = process.env["CHROMIUM_PATH"]
  if (named !== undefined) {
    if (existsSync(named)) return named
    throw new Error(`CHROMIUM_PATH is ${named}, which does not exist: set it to a Chromium, or omit it`)
  }
  if (process.platform === "linux" && process.arch === "x64") {
    // The package has libraries that a minimal machine lacks, and unpacks them only on AWS Lambda.
    process.env["AWS_EXECUTION_ENV"] ??= "AWS_Lambda_nodejs22.x"
    const { default: packed } = await import("@sparticuz/chromium")
    return packed.executablePath()
  }
  return usual.find((path) => existsSync(path)) ?? null
}

/** Null if there is no browser. Its profile is new and deleted with it. */
export const launch = async (): Promise<Browser | null> => {
  const executablePath = await executable()
  return executablePath === null ? null : chromium.launch({ executablePath, args: flags })
}

export const none =
  "There is no Chromium here: install one (Debian: apt-get install chromium), or say in CHROMIUM_PATH where one is"
