// The benchmarks by their names. Each is loaded when it is asked for, and no other.
import type { Benchmark } from "./Benchmark.ts"

export const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  audience: async () => (await import("./audience/Audience.ts")).audience,
  blasts: async () => (await import("./blasts/Blasts.ts")).blasts,
  flows: async () => (await import("./flows/Flows.ts")).flows,
  imports: async () => (await import("./imports/Imports.ts")).imports,
  pages: async () => (await import("./pages/Pages.ts")).pages,
  render: async () => (await import("./render/Render.ts")).rendering,
  tracking: async () => (await import("./tracking/Tracking.ts")).tracking,
}
