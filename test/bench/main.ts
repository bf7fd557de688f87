// Runs benchmarks, all without a name: `npm run bench audience`. `-- --quick` runs a twentieth in a minute, `--full` the largest size.
import { parseArgs } from "node:util"
import { Ending } from "../support/Ending.ts"
import type { Benchmark } from "./Benchmark.ts"
import { Report } from "./Report.ts"

const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  audience: async () => (await import("./audience/Audience.ts")).audience,
  blasts: async () => (await import("./blasts/Blasts.ts")).blasts,
  consent: async () => (await import("./consent/Consent.ts")).consent,
  console: async () => (await import("./console/Screens.ts")).screens,
  fairness: async () => (await import("./fairness/Fairness.ts")).fairness,
  flows: async () => (await import("./flows/Flows.ts")).flows,
  idle: async () => (await import("./idle/Idle.ts")).idle,
  imports: async () => (await import("./imports/Imports.ts")).imports,
  messages: async () => (await import("./messages/Messages.ts")).messages,
  pages: async () => (await import("./pages/Pages.ts")).pages,
  render: async () => (await import("./render/Render.ts")).rendering,
  retention: async () => (await import("./retention/Retention.ts")).retention,
  scale: async () => (await import("./scale/Scale.ts")).scale,
  webhooks: async () => (await import("./webhooks/Webhooks.ts")).webhooks,
}
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
})
const names = positionals.length === 0 ? Object.keys(benchmarks) : positionals
if (names.some((name) => benchmarks[name] === undefined) || (values.quick && values.full)) {
  console.error(`Usage: npm run bench -- [<name> …] [--quick | --full]: ${Object.keys(benchmarks).join(", ")}`)
  process.exit(1)
}
for (const name of names) {
  await Ending.during(async (ending) => {
    const report = new Report(values)
    if (names.length > 1) report.say(`# ${name}`)
    const run = await benchmarks[name]?.()
    await run?.({ ...values, report, ending })
    report.close()
  })
}
