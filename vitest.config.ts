import { defineConfig } from "vitest/config"

export default defineConfig({
  ssr: { resolve: { conditions: ["tentpole:source"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: ["test/globalSetup.ts"],
    pool: "forks",
    maxWorkers: 2,
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
