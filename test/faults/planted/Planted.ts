// The campaign `planted`: for each bug, the tests pass without it and fail with it.
import { spawn } from "node:child_process"
import { join } from "node:path"
import { environment } from "../../support/Service.ts"
import type { Campaign, Trial } from "../Campaign.ts"
import { type Bug, bugs, type Catcher, type Patch } from "./Bugs.ts"
import { Copy } from "./Copy.ts"
import { testOf } from "./Places.ts"

interface Verdict {
  readonly passed: boolean
  /** A test or scenario found a violation; a run that could not start is no failure. */
  readonly failed: boolean
  readonly output: string
}

const commandOf = ({ folder }: Copy, catcher: Catcher): ReadonlyArray<string> =>
  "tests" in catcher
    ? ["node_modules/vitest/vitest.mjs", "run", testOf(folder, catcher), "--testNamePattern", catcher.named]
    : ["test/faults/main.ts", catcher.campaign ?? "blasts", catcher.scenarios]

/** The last line of a run with violations, and of one without. */
const findings = /\bTests +\d+ failed|\bdid matter/
const success = /\bTests +\d+ passed|\bnothing mattered/

const tried = (copy: Copy, catcher: Catcher, { ending }: Trial): Promise<Verdict> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [...commandOf(copy, catcher)], {
      cwd: copy.folder,
      env: environment({ NO_COLOR: "1" }),
    })
    void ending.with(async () => child.kill("SIGTERM"))
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
    child.once("exit", (code) =>
      resolve({ passed: code === 0 && success.test(output), failed: code !== 0 && findings.test(output), output }),
    )
  })

const withPatches = async <A>(copy: Copy, patches: ReadonlyArray<Patch>, act: () => Promise<A>): Promise<A> => {
  const undo: Array<() => Promise<void>> = []
  try {
    for (const patch of patches) undo.unshift(await copy.patch(patch))
    return await act()
  } finally {
    for (const each of undo) await each()
  }
}

const lastLines = (output: string): string => output.trim().split("\n").slice(-12).join("\n")

const plant = async (
  copy: Copy,
  { beside = [], caughtBy, name, patches }: Bug,
  trial: Trial,
): Promise<ReadonlyArray<string>> => {
  const healthy = await withPatches(copy, beside, () => tried(copy, caughtBy, trial))
  if (!healthy.passed) return [`without the bug "${name}" its catcher does not pass:\n${lastLines(healthy.output)}`]
  const sick = await withPatches(copy, [...beside, ...patches], () => tried(copy, caughtBy, trial))
  if (sick.failed) {
    trial.say(`  caught: ${name}`)
    return []
  }
  return [`the bug "${name}" was not caught:\n${lastLines(sick.output)}`]
}

/** The quick run: one bug that a contract catches, and one that a test of core catches. */
const sampled: ReadonlySet<string> = new Set(["SKIP LOCKED is dropped", "rendered text is rendered again"])

const sample = (quick: boolean): ReadonlyArray<Bug> => (quick ? bugs.filter(({ name }) => sampled.has(name)) : bugs)

export const planted: Campaign = async (trial) => {
  const wanted = sample(trial.quick).filter(({ name }) => name.includes(trial.only))
  if (wanted.length === 0) return [`no bug is called ${trial.only}: ${bugs.map(({ name }) => name).join("; ")}`]
  const copy = await Copy.into(join(await trial.ending.folder(), "sources"))
  const found: Array<string> = []
  for (const bug of wanted) {
    const said = await plant(copy, bug, trial)
    for (const each of said) trial.say(`  NOT SO: ${each}`)
    found.push(...said)
  }
  trial.say(`${wanted.length - found.length} of ${wanted.length} planted bugs were caught`)
  return found
}
