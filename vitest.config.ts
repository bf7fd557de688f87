import { defineConfig } from "vitest/config"
import { threats } from "./test/attacks/Threats.ts"

const resolve = { conditions: ["tentpole:source"] }

export default defineConfig({
  // Sources are what runs, in tests and in their global setup.
  ssr: { resolve },
  environments: { __vitest__: { resolve } },
  test: {
    include: ["packages/{*,http/console}/test/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    tags: threats.map(({ name, description }) => ({ name, description })),
    globalSetup: ["test/globalSetup.ts"],
    pool: "forks",
    // Two more than the machine that it is meant for has processors: tests wait for other processes half of their time.
    maxWorkers: 4,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
  },
})
