// Tests of security properties that sources and lock file show: outgoing requests, cookies, npm packages.
import { readFileSync } from "node:fs"
import { assert, it } from "vitest"
import { isContract, isSource, project, root } from "./tidy/Source.ts"

const shipped = project((file) => isSource(file) || isContract(file))

const mentions = (pattern: RegExp): ReadonlyArray<string> =>
  shipped.flatMap(({ code, path }) => (pattern.test(code) ? [path] : []))

it("no server parses requests less strictly than node's default", { tags: ["attack/malformed-http"] }, () => {
  assert.deepStrictEqual(mentions(/insecureHTTPParser/), [])
})

it("only sources of the console's listener read and set cookies", { tags: ["attack/origins"] }, () => {
  const others = mentions(/cookie/i).filter((path) => !/^packages\/http\/src\/(?:accounts|console)\//.test(path))
  assert.deepStrictEqual(others, [])
})

/** The sources that send requests, with their targets. None is an address that a tenant chooses. */
const outgoing: Readonly<Record<string, string>> = {
  "packages/adapters/src/ai/FromConfig.ts": "the AI of the configuration",
  "packages/adapters/src/ai/Provider.ts": "the AI of the configuration",
  "packages/adapters/src/dns/Dns.ts": "name servers",
  "packages/adapters/src/oidc/OidcProvider.ts": "the identity provider of the configuration",
  "packages/adapters/src/operations/Tracing.ts": "the collector of the configuration",
  "packages/adapters/src/s3/BlobStore.ts": "the file store of the configuration",
  "packages/adapters/src/s3/Upload.ts": "the file store of the configuration",
  "packages/adapters/src/smtp/SmtpSocket.ts": "the mail server of the configuration",
  "packages/adapters/src/smtp/SmtpConnections.ts": "the mail server of the configuration",
  "packages/adapters/src/sns/Sns.ts": "hosts of Amazon, which it checks",
  "packages/adapters/src/webhooks/HttpWebhookCaller.ts": "the URL of `tentpole listen`, at addresses that it judges",
  "packages/http/src/cli/commands/ApiCalls.ts": "the API of the configuration",
  "packages/http/src/cli/commands/contacts/ContactImport.ts": "the API of the configuration",
  "packages/http/src/cli/commands/Outbox.ts": "images of a local mail, at the origins of the configuration only",
  "packages/http/src/doctor/Examinations.ts": "the services of the configuration",
  "packages/http/src/healthy/main.ts": "its own process",
}

it("only listed sources send requests to other hosts", { tags: ["attack/ssrf"] }, () => {
  const sends =
    /\bfetch\(|globalThis\.fetch|\bHttpClient\.HttpClient\b|FetchHttpClient|\bconnect\b.*"node:(net|tls)"|"node:dns|"nodemailer|"@aws-sdk\/client|"openid-client"|"undici"/
  // The client and the console send requests to the API only.
  const found = mentions(sends).filter((path) => !/^packages\/(client|http\/(src\/client|console))/.test(path))
  assert.sameMembers([...found], Object.keys(outgoing))
})

interface Installed {
  readonly link?: boolean
  readonly resolved?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}

it("npm installs from the registry only, by hash, and runs listed scripts", { tags: ["attack/secret-leak"] }, () => {
  const json = (path: string) => JSON.parse(readFileSync(root + path, "utf8"))
  const { packages }: { readonly packages: Readonly<Record<string, Installed>> } = json("package-lock.json")
  const { allowScripts }: { readonly allowScripts: Readonly<Record<string, boolean>> } = json("package.json")
  const others = Object.entries(packages).filter(([at, { link }]) => at.includes("node_modules/") && link !== true)
  assert.isAbove(others.length, 100)
  const foreign = others.filter(
    ([, { integrity = "", resolved }]) => resolved !== undefined || !/^sha512-[\w+/]+=*$/.test(integrity),
  )
  assert.deepStrictEqual(foreign, [])
  const scripted = others.flatMap(([at, { hasInstallScript }]) =>
    hasInstallScript === true ? [at.slice(at.lastIndexOf("node_modules/") + "node_modules/".length)] : [],
  )
  // npm from 11.16 refuses others with this setting; older versions ignore both.
  assert.match(readFileSync(root + ".npmrc", "utf8"), /^strict-allow-scripts=true$/m)
  // An entry without a package would allow a script that a later version brings.
  assert.sameMembers([...new Set(scripted)], Object.keys(allowScripts))
})
