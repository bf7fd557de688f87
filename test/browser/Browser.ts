// A browser for tests: one that the machine has, or the one that comes as a package and needs nothing besides. Where there is
// neither, it says so.
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

/** CHROMIUM_PATH first, then the package's own where it runs (Linux on x64), then what the machine has in the usual places. */
const executable = async (): Promise<string | null> => {
  const named = process.env["CHROMIUM_PATH"]
  if (named !== undefined) {
    if (existsSync(named)) return named
    throw new Error(`CHROMIUM_PATH is ${named}, and there is nothing: set it to a Chromium, or leave it out`)
  }
  if (process.platform === "linux" && process.arch === "x64") {
    // It brings libraries that a bare machine lacks, and unpacks them when it takes the machine for Amazon's.
    process.env["AWS_EXECUTION_ENV"] ??= "AWS_Lambda_nodejs22.x"
    const { default: packed } = await import("@sparticuz/chromium")
    return packed.executablePath()
  }
  return usual.find((path) => existsSync(path)) ?? null
}

/** Null where there is none. Its profile is a new one, and goes with it. */
export const launch = async (): Promise<Browser | null> => {
  const executablePath = await executable()
  return executablePath === null ? null : chromium.launch({ executablePath, args: flags })
}

export const none =
  "There is no Chromium here: install one (Debian: apt-get install chromium), or say in CHROMIUM_PATH where one is"
