// Opening a file or an address with the program of the system.
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { CallFailed } from "./Remote.ts"

const viewers: Readonly<Record<string, readonly [string, ...ReadonlyArray<string>]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
}

/** Whether programs with windows can be shown here. */
export const hasWindows = (platform: string, variables: NodeJS.ProcessEnv): boolean =>
  platform in viewers ||
  ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].some((name) => (variables[name] ?? "") !== "")

/** Fails with one sentence where there is no such program. */
export const openWith = (target: string): Effect.Effect<void, CallFailed> => {
  const refused = Effect.fail(new CallFailed({ reason: `No program to open ${target} was found.` }))
  if (!hasWindows(process.platform, process.env)) return refused
  return Effect.callback<void, CallFailed>((resume) => {
    const [program, ...args] = viewers[process.platform] ?? ["xdg-open"]
    const child = spawn(program, [...args, target], { detached: true, stdio: "ignore" })
    child.once("error", () => resume(refused))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.void)
    })
  })
}
