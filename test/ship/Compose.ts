// compose.yaml as `docker compose` sees it: merged, and with its variables filled in.
import { parse } from "yaml"

export interface ComposeService {
  readonly image: string
  readonly build?: string
  readonly command?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly tmpfs?: ReadonlyArray<string>
  readonly read_only?: boolean
  readonly stop_grace_period?: string
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test?: ReadonlyArray<string>; readonly disable?: boolean }
  readonly networks?: { readonly default: { readonly aliases: ReadonlyArray<string> } }
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, null>>
}

export const compose = (text: string): Compose => parse(text, { merge: true })

const variable = /\$\{([A-Z0-9_]+)(:\?|:-)([^}]*)\}/g

/** The variables without which compose refuses to start. */
export const required = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(variable)].flatMap(([, name = "", kind]) => (kind === ":?" ? [name] : []))),
]

/** The text with its variables filled in: those that are required by `given`, others by what stands for them. */
export const filled = (text: string, given: (name: string) => string): string =>
  text.replaceAll(variable, (_, name: string, kind: string, instead: string) => (kind === ":?" ? given(name) : instead))
